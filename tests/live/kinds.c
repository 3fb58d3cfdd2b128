// SPDX-License-Identifier: MIT
/* Kinds of target: C libraries, executables, sandboxes, namespaces, files that are gone. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"
#include "small.h"

#define NOBODY 65534

struct kind {
	struct start start;
	const char *words;
	bool may_refuse;        /* status 3 is right as well, if nothing was touched */
};

static const struct kind kinds[] = {
	{ { .root = "root-bookworm" }, "a position-independent program with glibc 2.36", false },
	{ { .program = "target-fixed" }, "a program at a fixed address", false },
	{ { .root = "root-bullseye" }, "a program with glibc 2.31, libdl and libpthread", false },
	{ { .root = "root-sid" }, "a program with the newest glibc", false },
	{ { .root = "root-musl" }, "a program with musl", false },
	{ { .root = "root-static", .library = "exe" }, "a static program", true },
	{ { .root = "root-static", .program = "target-glibc", .library = "exe" }, "a static program with glibc", true },
	{ { .settings = "apart=librt.so.1" }, "a program with a second glibc, by dlmopen", false },
	{ { .root = "root-bullseye", .settings = "apart=librt.so.1" }, "a program with a second libpthread", false },
	{ { .change_root = true }, "a program in a chroot", false },
	{ { .new_namespaces = true }, "a program in mount and pid namespaces where another file has its name", false },
	{ { .new_namespaces = true, .change_root = true }, "a program in a chroot in namespaces", false },
	{ { .uid = NOBODY }, "a program of another user", false },
	{ { .from_memory = true }, "a program run from a memfd", false },
	{ { .through_loader = true }, "a program run through its loader", false },
	{ { .settings = "sandbox=noexec" }, "a program whose seccomp filter denies mprotect(PROT_EXEC)", false },
	{ { .settings = "sandbox=kill" }, "a program whose seccomp filter kills at mmap, mprotect and clone", true },
	{ { .settings = "sandbox=container" }, "a program that never had clone3 and rseq", false },
	{ { .settings = "sandbox=first cold=1" }, "a program whose seccomp filter kills at what the first thread needs", true },
	{ { .settings = "sandbox=first" }, "a program whose seccomp filter kills at what the first thread needed", false },
	/* glibc ends the program when it had rseq and a new thread cannot */
	{ { .settings = "sandbox=newer-fail" }, "a program whose seccomp filter fails clone3 and rseq", true },
	{ { .settings = "sandbox=newer-kill" }, "a program whose seccomp filter kills at clone3 and rseq", true },
};

static void call_both_ways(struct target *t, bool may_refuse)
{
	static const char *const on[] = { "fresh", "borrowed", "fresh" };
	struct snapshot before = look(t, 0), after;

	for (size_t i = 0; i < rounds(3); i++) {
		struct outcome o = call(t, on[i], "called_sum", "1 2 3 4 5 6");

		if (may_refuse && o.status == 3)
			check(o.err[0], "roclatch refused without a word");
		else
			expect(&o, 0, "91\n");
	}
	after = look(t, 0);
	compare(&before, &after, 0);
	go_on(t);
}

static void run_kind(const void *with)
{
	const struct kind *kind = with;
	struct target t = start(&kind->start);

	call_both_ways(&t, kind->may_refuse);
	stop(&t);
}

/* As above, with the thread asleep: the C library's own way to wait is in its text then. */
static void run_kind_asleep(const void *with)
{
	const struct kind *kind = with;
	struct start how = kind->start;
	struct target t;

	how.state = "ppoll";
	t = start(&how);
	wait_blocked(&t, 0);
	call_both_ways(&t, kind->may_refuse);
	check(!atomic_load(&t.record->left), "ppoll ended with %lld", (long long)t.record->call[0].result);
	stop(&t);
}

static void run_small(const void *unused)
{
	pid_t child = small_start();
	char pid[16];
	struct outcome o;
	int status;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)child);
	o = roclatch(5000, "call", pid, "libc", "getpid", NULL);
	expect(&o, 3, NULL);
	expect_said(&o, "32");
	check(!waitpid(child, &status, WNOHANG), "the program ended with %#x", status);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Without libpthread there is no way to make a thread before glibc 2.34; borrowed still works. */
static void run_lonely(const void *root)
{
	struct target t = start(&(struct start){ .root = root, .program = "lonely", .library = "exe" });
	struct snapshot before, after;
	struct outcome o = call(&t, "borrowed", "lonely_answer", "7");

	expect(&o, 0, "21\n");
	before = look(&t, 0);
	o = call(&t, "fresh", "lonely_answer", "7");
	if (o.status == 3)
		expect_said(&o, "pthread_create");
	else
		expect(&o, 0, "21\n");
	after = look(&t, 0);
	compare(&before, &after, WITH_ARENA | WITH_FIRST_THREAD);
	go_on(&t);
	stop(&t);
}

/* Of a static program without symbols, glibc's own texts tell what its C library is. */
static void run_stripped(const void *unused)
{
	struct target t = start(&(struct start){ .root = "root-static", .program = "lonely-stripped", .library = "exe" });
	struct snapshot before = look(&t, 0), after;
	char pid[16];
	struct outcome o;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	o = roclatch(5000, "check", pid, NULL);
	expect(&o, 3, NULL);
	check(strstr(o.out, "glibc, linked statically"), "roclatch did not see glibc: %s", o.out);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static char copied[64];

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0755);
	char buffer[65536];
	ssize_t n = -1;

	while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			n = -1;
	close(in);
	close(out);
	require(!n, "cannot copy %s: %s", from, strerror(errno));
}

static const char *source;

static int copy_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	char to[512];

	(void)status, (void)ftw;
	snprintf(to, sizeof(to), "%s%s", copied, path + strlen(source));
	if (flag == FTW_D)
		return mkdir(to, 0755) && errno != EEXIST;
	copy_file(path, to);
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status, (void)flag, (void)ftw;
	return remove(path);
}

static void copy_root(void)
{
	static char root[4096];

	snprintf(root, sizeof(root), "%s/root-bookworm", options.fixtures);
	snprintf(copied, sizeof(copied), "/tmp/roclatch-live-%d", (int)getpid());
	source = root;
	mkdir("/tmp", 01777);
	require(!nftw(root, copy_one, 16, FTW_PHYS), "cannot copy %s", root);
}

/* library: deleted after the start; or replaced by another one of the same name. */
static void run_deleted(const void *library)
{
	struct target t;
	char path[128], other[4096];

	copy_root();
	t = start(&(struct start){ .copy = copied });
	snprintf(path, sizeof(path), "%s/%s", copied, (const char *)library);
	unlink(path);
	if (strstr(library, "libc.so")) {
		snprintf(other, sizeof(other), "%s/root-bullseye/%s", options.fixtures, (const char *)library);
		copy_file(other, path);
	}
	call_both_ways(&t, false);
	stop(&t);
	nftw(copied, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void run_unprivileged(const void *unused)
{
	struct target t = start(&(struct start){ .uid = NOBODY });

	(void)unused;
	roclatch_uid = NOBODY;
	call_both_ways(&t, false);
	stop(&t);
}

static void run_forbidden(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning" });
	struct snapshot before = look(&t, 0), after;
	struct outcome o;

	(void)unused;
	roclatch_uid = NOBODY;
	o = call(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	check(o.status == 3 || o.status == 1, "roclatch ended with %d: %s", o.status, o.err);
	check(o.err[0], "roclatch refused without a word");
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

/* resource: of which it may have no more. */
static void run_at_its_limit(const void *resource)
{
	static const char *const on[] = { "fresh", "borrowed" };
	struct target t = start(&(struct start){ .state = "spinning" });
	struct snapshot before = look(&t, 0), after;
	struct rlimit old, low;

	require(!prlimit(t.pid, *(const int *)resource, NULL, &old), "prlimit: %s", strerror(errno));
	low = (struct rlimit){ 4096, old.rlim_max };
	require(!prlimit(t.pid, *(const int *)resource, &low, NULL), "prlimit: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		struct outcome o = call(&t, on[i], "called_sum", "1 2 3 4 5 6");

		expect(&o, 3, NULL);
		expect_said(&o, "allow the process more memory");
	}
	require(!prlimit(t.pid, *(const int *)resource, &old, NULL), "prlimit: %s", strerror(errno));
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

void add_kind_tests(void)
{
	static const int as = RLIMIT_AS, data = RLIMIT_DATA;

	/* briefly, each kind once */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!options.brief || i % 2 == 0)
			add(MIXED, run_kind, &kinds[i], "%s that computes is called and left as it was", kinds[i].words);
		if (!options.brief || i % 2 == 1)
			add(MIXED, run_kind_asleep, &kinds[i], "%s that waits is called and left as it was", kinds[i].words);
	}
	if (small_runs())
		add(MIXED, run_small, NULL, "a 32-bit program is refused by name");
	add(MIXED, run_lonely, "root-bullseye", "a program with glibc 2.31 and without libpthread is called on its thread");
	add(MIXED, run_lonely, "root-bookworm", "a program that never made a thread is called");
	add(MIXED, run_stripped, NULL, "a static program without symbols is seen to have glibc");
	add(MIXED, run_deleted, "libcalled.so", "a function is called in a library whose file was deleted");
	add(MIXED, run_deleted, "lib/libc.so.6", "a target whose libc was replaced on disk is called by what it runs");
	add(MIXED, run_unprivileged, NULL, "a user without privileges can call into a program of their own");
	add(MIXED, run_forbidden, NULL, "a user without privileges is refused another user's program");
	add(MIXED, run_at_its_limit, &as, "a target whose address space is at its limit is refused and left as it was");
	add(MIXED, run_at_its_limit, &data, "a target whose data is at its limit is refused and left as it was");
}
