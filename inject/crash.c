/* SPDX-License-Identifier: MIT */
/* A crash of the called code: contained, and told. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#include "inject/run.h"

bool crash_is_one(struct run *run, pid_t tid, int signo)
{
	const struct thread thread = { .tid = tid };
	struct proc_status status;
	siginfo_t info = { 0 };
	if (!(THREAD_CRASHES >> (signo - 1) & 1))
		return false;
	/* one that somebody else sent to the target is the target's */
	if (thread_signal_is_sent(&thread, target_self(run->images->target)))
		return false;
	if (signo == SIGABRT && ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code != SI_TKILL)
		return false;
	/* A handler that was not there when we came belongs to the called code, which
	 * knows what it does (probing the CPU for instructions, say). */
	if (proc_status(run->images->target->pid, tid, &status, NULL) < 0)
		return true;
	return !(status.sig_caught & ~run->caught_before & 1ull << (signo - 1));
}

/* Does the way from the trampoline to the crash lead through the loader? */
static bool through_loader(struct run *run, raddr sp)
{
	struct image *loader = images_find(run->images, "ld.so", NULL);
	struct mailbox mailbox;
	uint64_t words[1024];
	if (!loader || image_open(run->images, loader, NULL) < 0 ||
	    mailbox_read(run, run->region.mailbox, &mailbox, NULL) < 0 || sp > mailbox.saved_sp)
		return false;
	size_t size = mailbox.saved_sp - (sp & ~7ull);
	if (size > sizeof words)
		size = sizeof words;
	if (memory_read(&run->images->target->memory, sp & ~7ull, words, size, NULL) < 0)
		return false;
	for (size_t i = 0; i < size / 8; i++)
		if (words[i] >= loader->elf.low && words[i] < loader->elf.high)
			return true;
	return false;
}

/* What the called code has loaded itself is not in the list from before the call. */
static void describe(struct run *run, raddr pc, char *where, size_t size)
{
	struct images now;
	if (images_at(run->images, pc) || images_open(&now, run->images->target, NULL) < 0) {
		images_describe(run->images, pc, where, size);
		return;
	}
	images_describe(&now, pc, where, size);
	images_close(&now);
}

void crash_note(struct run *run, pid_t tid, int signo)
{
	struct call_report *report = &run->call->report;
	struct regs regs;
	siginfo_t info = { 0 };

	report->crash.signo = signo;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0) {
		report->crash.code = info.si_code;
		report->crash.addr = (raddr)(uintptr_t)info.si_addr;
	}
	if (arch_regs_get(tid, &regs) < 0)
		return;
	report->crash.pc = arch_pc(&regs);
	describe(run, report->crash.pc, report->crash.where, sizeof report->crash.where);
	if (through_loader(run, arch_sp(&regs)))
		snprintf(report->crash.locks, sizeof report->crash.locks,
			 "the dynamic loader's: later dlopen and dlclose calls may hang");
	else if (signo == SIGABRT)
		snprintf(report->crash.locks, sizeof report->crash.locks,
			 "abort's own in glibc before 2.41 (a later abort() of another thread may hang), "
			 "and those that the function had taken");
	else
		snprintf(report->crash.locks, sizeof report->crash.locks,
			 "those that the function had taken");
}

static const char *signal_name(int signo)
{
	switch (signo) {
	case SIGSEGV: return "SIGSEGV";
	case SIGBUS: return "SIGBUS";
	case SIGILL: return "SIGILL";
	case SIGFPE: return "SIGFPE";
	case SIGTRAP: return "SIGTRAP";
	case SIGSYS: return "SIGSYS";
	case SIGABRT: return "SIGABRT";
	default: return "a signal";
	}
}

int crash_error(struct run *run, struct err *err)
{
	struct call_report *report = &run->call->report;
	char at[48] = "";
	if (report->crash.signo == SIGSEGV || report->crash.signo == SIGBUS)
		snprintf(at, sizeof at, ", address 0x%lx", (unsigned long)report->crash.addr);
	err_set(err, ERR_CALLED_CODE, 0, "the called code %s with %s in %s%s; the target lives on",
		report->crash.signo == SIGABRT ? "aborted" : "crashed",
		signal_name(report->crash.signo), report->crash.where, at);
	return err_remedy(err, "correct the called code; restart the process if it hangs, as locks may still be held: %s",
			  report->crash.locks);
}
