/* SPDX-License-Identifier: MIT */
#include "inject/quiet.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define LONGEST_NS 1000000ull
#define LOOK_NS 200000ull
#define SYSCALL_STOP (SIGTRAP | 0x80)

/* kernel/signal.c:ptrace_do_notify puts into si_code what wait shows above the 0x7f of a
 * stopped thread; where a signal is about to be given, si_code is the signal's own. */
static bool is_event(const siginfo_t *info)
{
	int code = info->si_code;
	return code == SYSCALL_STOP || (code >= 0x100 && (code & 0xff) == info->si_signo);
}

bool quiet_missed_stop(pid_t tid, int *status)
{
	siginfo_t info;
	/* answers for a stopped thread only; what has stopped just now, waitpid still tells */
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0)
		return false;
	if (waitpid(tid, status, __WALL | WNOHANG) == tid)
		return true;
	*status = (is_event(&info) ? info.si_code : info.si_signo) << 8 | 0x7f;
	return true;
}

bool quiet_nap(uint64_t *nap_ns, uint64_t left_ns)
{
	uint64_t nap = *nap_ns < left_ns ? *nap_ns : left_ns;
	nanosleep(&(struct timespec){ 0, (long)nap }, NULL);
	*nap_ns = *nap_ns * 3 / 2 < LONGEST_NS ? *nap_ns * 3 / 2 : LONGEST_NS;
	return nap >= LOOK_NS;
}
