// SPDX-License-Identifier: MIT
/* The targets of the soak: all kinds that the other tests have, in states that are picked at random. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocm_collect.h"
#include "rocm_world.h"
#include "soak.h"
#include "watch.h"

#define PATIENCE_MS 20000
#define MAPS_SIZE (1 << 20)

static const char *const roots[] = { "root-bookworm", "root-bullseye", "root-sid", "root-musl" };
static const char *const states[] = { "spinning", "spinning", "spinning", "futex", "nanosleep", "clock_nanosleep",
	"clock_nanosleep-absolute", "ppoll", "ppoll-timed", "poll-timed", "select-timed", "epoll_wait", "epoll_wait-timed",
	"read-pipe", "accept", "recv", "recv-timed", "waitpid", "sigtimedwait", "semtimedop", "futex-timed", "futex-deadline",
	"io_getevents-timed", "handler-spinning", "handler-sleeping", "handler-waiting" };
/* Any stop ends these with EINTR: who is killed in that moment cannot issue them again. */
static const char *const interruptible[] = { "epoll_wait", "recv-timed", "sigtimedwait", "semtimedop", "io_getevents" };
static const char *const threads[] = { "1", "2", "4", "64", "512" };
static const char *const loads[] = { "", "load=alarm", "load=children", "load=queue", "load=queue" };
static const char *const others[] = { "futex", "spin" };

static void start_called(struct ground *g)
{
	const char *state = DICE(states), *number = threads[dice(slow_machine() ? 4 : 5)];
	bool spins = !strcmp(state, "spinning");
	static char settings[96];

	g->root = DICE(roots);
	/* an alarm would end sleeps by itself, and that many computing threads only wait for each other */
	snprintf(settings, sizeof(settings), "ms=400 threads=%s others=%s %s", number, strlen(number) > 1 ? "futex" : DICE(others),
		spins ? DICE(loads) : "");
	snprintf(g->name, sizeof(g->name), "%s %s %s", g->root, state, settings);
	g->queue = g->takes_signals = strstr(settings, "load=queue");
	g->how = strstr(settings, "load=") ? WITHOUT_PENDING | WITHOUT_TASKS : 0;
	for (size_t i = 0; i < sizeof(interruptible) / sizeof(interruptible[0]); i++)
		g->interruptible |= !strncmp(state, interruptible[i], strlen(interruptible[i]));
	g->app[0].t = start(&(struct start){ .root = g->root, .state = state, .settings = settings });
	if (!strstr(state, "spinning"))
		wait_blocked(&g->app[0].t, 0);
}

static void start_static(struct ground *g)
{
	static const char *const programs[] = { "target", "target-glibc" };
	const char *program = DICE(programs);

	snprintf(g->name, sizeof(g->name), "root-static %s spinning", program);
	g->app[0].t = start(&(struct start){ .root = "root-static", .program = program, .library = "exe",
		.settings = "threads=2" });
}

static void start_rocm(struct ground *g, unsigned i)
{
	static const char *const numbers[] = { "threads=1", "threads=2", "threads=4", "threads=16" };
	static const char *const late[] = { "", OLD_SDK };
	const char *environment = g->kind == LISTENERLESS ? NO_LISTENER : g->kind == LATE ? DICE(late) : ATTACHABLE;
	const char *settings = numbers[dice(slow_machine() ? 2 : 4)];

	snprintf(g->name, sizeof(g->name), "rocm-app %s %s", settings, environment);
	g->app[i] = app_start("ready", settings, environment);
}

static void start_world(struct ground *g)
{
	static const struct world worlds[] = { { .stage = "" }, { .stage = "", .read_only = true },
		{ .stage = "", .uid = NOBODY }, { .stage = "", .own_pids = true } };
	const struct world *world = &DICE(worlds);

	snprintf(g->name, sizeof(g->name), "rocm-app in a root of its own%s%s%s", world->read_only ? ", read-only" : "",
		world->uid ? ", of another user" : "", world->own_pids ? ", with pids of its own" : "");
	g->app[0] = world_start(world);
}

void ground_start(struct ground *g, enum kind kind)
{
	*g = (struct ground){ .kind = kind, .apps = 1, .root = "root-rocm", .how = WITHOUT_PENDING };
	g->takes_signals = kind & (ANY_ROCM | SEVERAL);
	switch (kind) {
	case CALLED:
		g->how = 0;
		start_called(g);
		break;
	case STATIC:
		start_static(g);
		break;
	case WATCHED:
		g->root = roots[dice(2) * 3];
		snprintf(g->name, sizeof(g->name), "%s watched", g->root);
		g->app[0].t = start_watched(g->root);
		break;
	case WORLD:
		start_world(g);
		break;
	case ROOT:
		snprintf(g->name, sizeof(g->name), "rocm-app of another user in a chroot");
		g->app[0] = start_in_root();
		break;
	default:
		g->apps = kind == SEVERAL ? 2 + dice(2) : 1;
		for (unsigned i = 0; i < g->apps; i++)
			start_rocm(g, i);
	}
	for (unsigned i = 0; i < g->apps; i++)
		snprintf(g->app[i].pid, sizeof(g->app[i].pid), "%d", (int)g->app[i].t.pid);
}

void ground_look(struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		if (!g->app[i].t.pid)
			continue;
		forget(&g->before[i]);
		g->before[i] = look(&g->app[i].t, g->how);
		g->threads[i] = threads_of(&g->app[i].t);
	}
}

void ground_free(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		if (!g->app[i].t.pid)
			continue;
		unharmed(alive(&g->app[i].t), "the target is gone; wait status %#x", (unsigned)end_of(&g->app[i].t, 0));
		unharmed(wait_until(is_free, &g->app[i].t, PATIENCE_MS), "the target is still traced or stopped");
		if (failed())
			round_abandon();
		go_on(&g->app[i].t);
	}
}

static unsigned threads_wanted;

static bool has_threads(const struct target *target)
{
	return threads_of(target) <= threads_wanted;
}

void ground_alone(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		threads_wanted = g->threads[i];
		if (g->app[i].t.pid)
			unharmed(wait_until(has_threads, &g->app[i].t, PATIENCE_MS), "there are %u threads, and were %u",
				threads_of(&g->app[i].t), g->threads[i]);
	}
}

bool ground_same(const struct ground *g, unsigned how, unsigned ms)
{
	int64_t end = now_ns() + ms * INT64_C(1000000);
	bool good;

	for (;;) {
		good = true;
		for (unsigned i = 0; i < g->apps; i++) {
			if (!g->app[i].t.pid)
				continue;
			struct snapshot now = look(&g->app[i].t, g->how);

			good &= same(&g->before[i], &now, how);
			forget(&now);
		}
		if (good || now_ns() > end)
			return good;
		sleep_ms(20);
	}
}

void ground_compare(const struct ground *g, unsigned how)
{
	for (unsigned i = 0; i < g->apps; i++) {
		if (!g->app[i].t.pid)
			continue;
		struct snapshot now = look(&g->app[i].t, g->how);

		compare(&g->before[i], &now, how);
		forget(&now);
	}
}

/* Whatever is executable without a name is ours: these programs make none. */
static void clean_maps(const struct app *app)
{
	char *text = malloc(MAPS_SIZE), *rest = NULL;

	require(text && read_text(text, MAPS_SIZE, "/proc/%s/maps", app->pid), "the target is gone");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char perms[8] = "", name[256] = "";

		sscanf(line, "%*x-%*x %7s %*s %*s %*u %255[^\n]", perms, name);
		unharmed(perms[2] != 'x' || name[0], "a mapping of ours is left: %s", line);
		unharmed(perms[2] != 'x' || perms[1] != 'w', "a mapping is writable and executable: %s", line);
	}
	free(text);
}

void ground_clean(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		const struct app *app = &g->app[i];
		const char *open;

		if (!app->t.pid)
			continue;
		clean_maps(app);
		open = world_descriptors(app);
		unharmed(!strstr(open, "memfd:roclatch") && !strstr(open, ".rlog") && !strstr(open, "/.roclatch"),
			"a descriptor of ours is left:\n%s", open);
		if (g->kind & PLAIN)
			continue;
		if (g->kind == WORLD)
			unharmed(!world_folder(app, "/tmp")[0] && !world_folder(app, "")[0], "a folder of ours is left: %s%s",
				world_folder(app, "/tmp"), world_folder(app, ""));
		app_answers(app, "env ROCP_TOOL_LIBRARIES", "(null)");
		app_answers(app, "env ROCLATCH_ATTACHED", "(null)");
	}
}

/* EINTR is right in one case alone: the call is one that any stop ends so, and roclatch could not issue it again. */
void ground_answers(const struct ground *g, bool disturbed)
{
	const struct record *record = g->app[0].t.record;
	unsigned left = atomic_load(&record->left);

	for (unsigned i = 0; i < left && i < RECORD_CALLS; i++) {
		const struct record_call *call = &record->call[i];

		unharmed(call->result == call->expected || (disturbed && g->interruptible && call->result == -4),
			"system call %u answered %lld and not %lld", i, (long long)call->result, (long long)call->expected);
	}
	atomic_fetch_add(&tally->calls, left);
}

static bool all_queued(const struct target *target)
{
	return atomic_load(&target->record->queued) >= threads_wanted;
}

void ground_end(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		const struct target *t = &g->app[i].t;

		if (t->pid && g->queue) {
			threads_wanted = (unsigned)g->signals;
			unharmed(wait_until(all_queued, t, PATIENCE_MS) && atomic_load(&t->record->queued) == g->signals,
				"%u of %llu queued signals arrived", atomic_load(&t->record->queued), (unsigned long long)g->signals);
		}
		if (t->pid) {
			go_on(t);
			stop(t);
		}
		if (g->app[i].output[0])
			app_forget(&g->app[i]);
	}
}

void ground_forget(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++) {
		if (g->app[i].t.pid)
			kill(g->app[i].t.pid, SIGKILL);
		if (g->app[i].output[0])
			app_forget(&g->app[i]);
	}
	into_forget();
}
