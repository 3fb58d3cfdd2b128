/* SPDX-License-Identifier: MIT */
/* roclatch eject: close a library that inject has loaded. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "bin/library.h"
#include "inject/root.h"

const char eject_text[] =
	"Closes a library with the process's own dlclose, which undoes one inject, and checks whether it\n"
	"is unloaded.  FILE is a path as the process sees it, or a name as for call.  Libraries that the\n"
	"program itself needs are refused (status 3).\n"
	"\n"
	"Status 7 means: closed, but still mapped, because something else has opened it too, because it\n"
	"is marked as not to be unloaded, or because the C library is musl, which never unloads.\n"
	"\n"
	"examples:\n"
	"  roclatch eject 4711 /opt/probes/libprobe.so\n";

struct ejection {
	struct loader loader;
	struct image *image;
	char asked[PATH_MAX], mapped[PATH_MAX];         /* two names it may be known by */
	uint64_t handle;
	enum { FINDING, CLOSING, ASKING } round;
	bool held_by_program;
};

static int found(struct call *call, struct ejection *ejection, struct err *err)
{
	ejection->handle = call->step[0].result ? call->step[0].result :
			   call->step[1].returned ? call->step[1].result : 0;
	if (!ejection->handle)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s is mapped, but dlopen does not know it "
			       "as loaded", ejection->image->path);
	/* One reference is from the dlopen just now, one is inject's. */
	struct call_step step = { .fn = ejection->loader.close, .nargs = 1,
				  .arg[0].value = ejection->handle, .stop_if_nonzero = true };
	call->step[0] = call->step[1] = step;
	call->steps = 2;
	ejection->round = CLOSING;
	return 1;
}

static int closed(struct call *call, struct ejection *ejection, struct err *err)
{
	bool first_failed = call->step[0].result != 0;
	if (!first_failed && call->step[1].result == 0)
		return 0;
	/* The second one failing leaves all as it was: nobody called dlopen. */
	ejection->held_by_program = !first_failed;
	if (!ejection->loader.error)
		return err_set(err, first_failed ? ERR_CALLED_CODE : ERR_NOT_POSSIBLE, 0,
			       "dlclose refused %s", ejection->image->path);
	call->step[0] = (struct call_step){ .fn = ejection->loader.error };
	call->steps = 1;
	ejection->round = ASKING;
	return 1;
}

static int next_round(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct ejection *ejection = ctx;
	char text[320];
	if (ejection->round == FINDING)
		return found(call, ejection, err);
	if (ejection->round == CLOSING)
		return closed(call, ejection, err);
	library_error_text(images, &call->step[0], text, sizeof text);
	if (ejection->held_by_program) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s was not loaded by dlopen: the program or "
			"another library needs it (%s)", ejection->image->path, text);
		return err_remedy(err, "eject what roclatch inject or the program itself has loaded by dlopen");
	}
	return err_set(err, ERR_CALLED_CODE, 0, "dlclose: %s", text);
}

/* The image that the user means; its file may be gone or replaced by now. */
static int find(struct session *session, const char *name, struct ejection *ejection,
		struct err *err)
{
	struct images *images = &session->images;
	char real[PATH_MAX];
	struct stat st;
	if (library_absolute(name, ejection->asked, sizeof ejection->asked, err) < 0)
		return -1;
	int fd = root_open(&session->target, ejection->asked, real, sizeof real, NULL);
	if (fd >= 0) {
		if (fstat(fd, &st) == 0)
			ejection->image = library_loaded(images, &st, real);
		close(fd);
	}
	if (!ejection->image)
		ejection->image = images_find(images, strchr(name, '/') ? ejection->asked : name, err);
	if (!ejection->image)
		return err_wrap(err, "not loaded");
	snprintf(ejection->mapped, sizeof ejection->mapped, "%s",
		 root_strip(&session->target, ejection->image->path));

	static const char *const vital[] = { "exe", "libc", "ld.so", "vdso" };
	size_t i = 0;
	for (; i < sizeof vital / sizeof *vital; i++)
		if (images_find(images, vital[i], NULL) == ejection->image)
			break;
	if (i < sizeof vital / sizeof *vital) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s cannot be unloaded: it is the target's %s", ejection->image->path, vital[i]);
		return err_remedy(err, "none: the process cannot run without it; eject takes what inject has loaded");
	}
	return 0;
}

static int verify(struct session *session, const struct ejection *ejection, struct err *err)
{
	int mapped = library_mapped(&session->target, ejection->image, err);
	if (mapped < 0)
		return err_wrap(err, "closed, but not verified");
	if (mapped)
		return err_set(err, ERR_RESIDUE, 0, "closed, but %s is still mapped: %s",
			       ejection->image->path, session->target.libc == LIBC_MUSL ?
			       "musl never unloads a library" :
			       "it was opened more than once or is marked not to be unloaded");
	return 0;
}

static int unload(struct session *session, struct ejection *ejection,
		  const struct settings *settings, struct output *out, struct err *err)
{
	struct call *call = &session->call;
	output_text(out, "file", ejection->image->path);
	if (loader_find(&session->images, &ejection->loader, err) < 0)
		return -1;
	const uint64_t flags = TARGET_RTLD_NOW | TARGET_RTLD_NOLOAD;
	call->step[0] = loader_open_step(&ejection->loader, ejection->mapped, flags);
	call->step[0].stop_if_nonzero = true;
	call->step[1] = loader_open_step(&ejection->loader, ejection->asked, flags);
	call->steps = strcmp(ejection->asked, ejection->mapped) ? 2 : 1;
	call->held = next_round;
	call->ctx = ejection;
	int answer = session_run(session, settings, out, err);
	if (answer == 0 && !settings->dry_run) {
		answer = verify(session, ejection, err);
		output_bool(out, "unloaded", answer == 0);
		if (answer == 0)
			output_note(out, "  %s is gone from process %d", ejection->image->path,
				    (int)session->target.pid);
	}
	return answer;
}

int command_eject(const struct settings *settings, char **operands, int n,
		  struct output *out, struct err *err)
{
	(void)n;
	struct session session;
	struct ejection ejection = { .round = FINDING };
	if (session_open(&session, settings, out, err) < 0)
		return -1;
	int answer = find(&session, operands[0], &ejection, err);
	if (answer == 0)
		answer = unload(&session, &ejection, settings, out, err);
	return session_end(&session, answer, err);
}
