/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a stack, unwound by the tables and the code of this very program (of a child, as nobody may look at
 * itself): two bytes of choice, then the
 * registers, then the stack, in words.  A word whose upper half is TEXT_MARK is an address in the program's code,
 * one with STACK_MARK an address in the stack: so the same input means much the same in each build.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/watch/unwind.h"

#define TEXT_MARK 0x7ec57ec5u
#define STACK_MARK 0x57ac57acu
#define STACK UINT64_C(0x7f1234560000)
#define WORDS 2048
#define FRAMES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct target target;
static struct images images;
static struct unwinder *unwinder;
static const struct mapping *text;

static void end_child(void)
{
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
}

static pid_t start_child(void)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	return pid;
}

static void open_child(void)
{
	struct err err = { .code = ERR_NONE };
	bool readable;
	if (target_watch(&target, start_child(), NULL, &readable, &err) < 0 || !readable ||
	    images_open(&images, &target, &err) < 0 || atexit(end_child))
		abort();
	text = maps_at(&images.maps, (uintptr_t)LLVMFuzzerTestOneInput);
	unwinder = unwinder_open(&images, &err);
	if (!unwinder || !text)
		abort();
}

static uint64_t meant(uint64_t word)
{
	if (word >> 32 == TEXT_MARK)
		return text->start + (uint32_t)word % (text->end - text->start);
	return word >> 32 == STACK_MARK ? STACK + (uint32_t)word % (WORDS * 8) : word;
}

static void check(const struct frames *frames)
{
	char why[256];
	if (!frames->n || frames->n > frames->room || frames->end > END_DEPTH)
		abort();
	for (size_t i = 0; i < frames->n; i++)
		if (frames->v[i].how > FRAME_SIGNAL || (frames->v[i].how == FRAME_TOP) != (i == 0))
			abort();
	unwind_why(unwinder, frames, why, sizeof why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t words[UNWIND_REGS + WORDS];
	struct frame frame[FRAMES];
	struct frames frames = { .v = frame, .room = FRAMES };
	if (size < 2 + 8 * (UNWIND_REGS + 1) || size > sizeof words)
		return 0;
	if (!unwinder)
		open_child();
	size_t n = (size - 2) / 8;
	memcpy(words, data + 2, n * 8);
	for (size_t i = 0; i < n; i++)
		words[i] = meant(words[i]);
	struct stack_copy copy = { .tid = getpid(), .way = COPY_STOP, .size = (n - UNWIND_REGS) * 8, .whole = data[0] & 1 };
	/* as large as what was copied, so that the sanitizer sees a byte too many */
	copy.room = copy.size;
	copy.bytes = malloc(copy.size);
	if (!copy.bytes)
		abort();
	memcpy(copy.bytes, words + UNWIND_REGS, copy.size);
	copy.low = STACK;
	memcpy(copy.regs.v, words, sizeof copy.regs.v);
	copy.regs.known = UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_PC;
	if (data[0] & 2)
		copy.regs.known = (UINT64_C(1) << UNWIND_REGS) - 1;
	copy.regs.v[UNWIND_SP] = STACK + data[1];
	unwind(unwinder, &copy, NULL, &frames);
	check(&frames);
	free(copy.bytes);
	return 0;
}
