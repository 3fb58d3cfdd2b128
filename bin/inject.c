/* SPDX-License-Identifier: MIT */
/* roclatch inject: load a library with the target's own dlopen. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "bin/library.h"
#include "inject/root.h"

const char inject_text[] =
	"Loads a shared library with the process's own dlopen (RTLD_NOW | RTLD_LOCAL) and prints the\n"
	"handle.  The library stays loaded until it is ejected.\n"
	"\n"
	"FILE is opened by the process, so it is a path as the process sees it.  A relative path is taken\n"
	"from the current folder of roclatch, and must be the same file for the process.  What cannot be\n"
	"loaded (no such file, another CPU, not a shared library, an executable stack) is refused before\n"
	"the process is touched.\n"
	"\n"
	"examples:\n"
	"  roclatch inject 4711 /opt/probes/libprobe.so\n";

struct injection {
	struct loader loader;
	char path[PATH_MAX];    /* what dlopen gets */
	char real[PATH_MAX];    /* the same without symbolic links */
	struct stat st;
	uint64_t handle;
	bool asking;            /* the round that runs calls dlerror */
};

/* dlopen has answered; if it failed, ask dlerror on the same thread. */
static int opened(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct injection *injection = ctx;
	char text[320];
	if (!injection->asking) {
		injection->handle = call->step[0].result;
		if (injection->handle)
			return 0;
		if (!injection->loader.error)
			return err_set(err, ERR_CALLED_CODE, 0,
				       "dlopen failed (this C library keeps the reason to itself)");
		injection->asking = true;
		call->step[0] = (struct call_step){ .fn = injection->loader.error };
		call->steps = 1;
		return 1;
	}
	library_error_text(images, &call->step[0], text, sizeof text);
	return err_set(err, ERR_CALLED_CODE, 0, "dlopen: %s", text);
}

static int advise_copy(const struct target *target, const char *name, const char *path,
		       struct err *err)
{
	const char *base = strrchr(path, '/') + 1;
	if (err->sys != ENOENT)
		return -1;
	if (access(path, R_OK) < 0)
		return err_remedy(err, "check the path; it is the target that opens it");
	return err_remedy(err, "copy it to where the target can see it, cp %s /proc/%d/root/tmp/, "
			  "and name it /tmp/%s", name, (int)target->pid, base);
}

/* Look at the file through the target's eyes. */
static int look(struct session *session, const char *name, struct injection *injection,
		struct err *err)
{
	struct target *target = &session->target;
	struct image *exe = images_find(&session->images, "exe", err);
	if (!exe || image_open(&session->images, exe, err) < 0)
		return -1;
	if (library_absolute(name, injection->path, sizeof injection->path, err) < 0)
		return -1;
	int fd = root_open(target, injection->path, injection->real, sizeof injection->real, err);
	if (fd < 0)
		return advise_copy(target, name, injection->path, err);

	struct elf_file file;
	struct stat ours;
	int answer = -1;
	if (fstat(fd, &injection->st) < 0) {
		err_set(err, ERR_FAILED, 0, "fstat %s", injection->path);
	} else if (name[0] != '/' && stat(injection->path, &ours) == 0 &&
		   (ours.st_dev != injection->st.st_dev || ours.st_ino != injection->st.st_ino)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s is another file for process %d than for you",
			injection->path, (int)target->pid);
		err_remedy(err, "give the absolute path to load the target's file, or copy yours "
			   "below /proc/%d/root", (int)target->pid);
	} else if (elf_file_open(&file, fd, err) < 0) {
		err->code = ERR_NOT_POSSIBLE;
		err_wrap(err, "%s", injection->path);
		err_remedy(err, "give a shared library that is whole: readelf -a says what is wrong with it");
	} else if (elf_file_loadable(&file, exe->elf.machine, err) < 0) {
		err_wrap(err, "%s", injection->path);
	} else {
		answer = 0;
	}
	close(fd);
	return answer;
}

/* dlopen gave a handle: see that the file is really there. */
static int verify(struct session *session, struct injection *injection, struct err *err)
{
	struct images now;
	if (images_open(&now, &session->target, err) < 0)
		return err_wrap(err, "loaded, but not verified");
	bool there = library_loaded(&now, &injection->st, injection->real);
	images_close(&now);
	if (!there)
		return err_set(err, ERR_CALLED_CODE, 0, "dlopen answered handle 0x%" PRIx64
			       ", but %s is not mapped", injection->handle, injection->real);
	return 0;
}

static int load(struct session *session, struct injection *injection,
		const struct settings *settings, struct output *out, struct err *err)
{
	struct call *call = &session->call;
	output_text(out, "file", injection->path);
	struct image *image = library_loaded(&session->images, &injection->st, injection->real);
	output_bool(out, "already_loaded", image != NULL);
	if (image) {
		output_note(out, "%s is loaded already, at 0x%" PRIx64 "; nothing was done",
			    injection->path, image->start);
		return 0;
	}
	if (loader_find(&session->images, &injection->loader, err) < 0)
		return -1;
	call->step[0] = loader_open_step(&injection->loader, injection->path, TARGET_RTLD_NOW);
	call->steps = 1;
	call->held = opened;
	call->ctx = injection;
	int answer = session_run(session, settings, out, err);
	if (settings->dry_run || !injection->handle)
		return answer;
	output_result_hex(out, "handle", injection->handle);
	if (answer == 0 && (answer = verify(session, injection, err)) == 0)
		output_note(out, "  %s is loaded in process %d", injection->path,
			    (int)session->target.pid);
	return answer;
}

int command_inject(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err)
{
	(void)n;
	struct session session;
	struct injection injection = { .handle = 0 };
	if (session_open(&session, settings, out, err) < 0)
		return -1;
	int answer = look(&session, operands[0], &injection, err);
	if (answer == 0)
		answer = load(&session, &injection, settings, out, err);
	return session_end(&session, answer, err);
}
