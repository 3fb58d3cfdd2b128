/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/recording.h"

/* Through its own descriptors, as the terminal may have another name here.  Nothing is waited
 * for: a terminal that is stopped (Ctrl-S) gets no line. */
void announce(pid_t pid, const char *text)
{
	char path[64], line[128];
	int length = snprintf(line, sizeof line, "\r\n[roclatch] %s (process %d)\r\n", text, (int)pid);
	for (int fd = 2; fd >= 0; fd--) {
		struct stat st;
		snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
		if (stat(path, &st) < 0 || !S_ISCHR(st.st_mode))
			continue;       /* whatever else the process has there is not ours to open */
		int terminal = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (terminal < 0)
			continue;
		bool done = isatty(terminal) && write(terminal, line, (size_t)length) == length;
		close(terminal);
		if (done)
			return;
	}
}
