/* SPDX-License-Identifier: MIT */
#include "rocp/tool/circumstances.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "rocp/tool/futex.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/settings.h"
#include "version.h"

static void random_id(uint64_t id[2])
{
	size_t size = 2 * sizeof *id;
	if (syscall(SYS_getrandom, id, size, 1 /* GRND_NONBLOCK */) == (long)size)
		return;
	id[0] = now_by(CLOCK_REALTIME) * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32;
	id[1] = now_by(CLOCK_MONOTONIC) * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)(uintptr_t)&size;
}

void circumstances_head(struct log_head *head, uint32_t sdk_version, uint32_t session)
{
	*head = (struct log_head){ .magic = LOG_MAGIC, .version = LOG_VERSION, .size = sizeof *head,
		.start = now_by(CLOCK_BOOTTIME), .start_realtime = now_by(CLOCK_REALTIME), .pid = (uint32_t)getpid(),
		.ppid = (uint32_t)getppid(), .sdk = sdk_version, .session = session };
	random_id(head->id);
	head->check = log_check(head, sizeof *head);
}

/* At most size - 1 bytes of a file; "" if there is none. */
static size_t read_file(const char *path, char *into, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	while (fd >= 0 && n < size - 1) {
		ssize_t now = read(fd, into + n, size - 1 - n);
		if (now <= 0)
			break;
		n += (size_t)now;
	}
	if (fd >= 0)
		close(fd);
	into[n] = '\0';
	return n;
}

static char text[32 << 10];             /* starts are one at a time */

static void put_arguments(void)
{
	size_t n = read_file("/proc/self/cmdline", text, sizeof text);
	for (size_t at = 0; at < n; at += strlen(text + at) + 1)
		log_text(LOG_FACT, FACT_ARGUMENT, text + at);
}

/* By name: a walk over environ would follow what another thread's setenv has freed. */
static void put_settings(void)
{
	const char *name, *value;
	for (size_t i = 0; (name = settings_name(i)); i++)
		if ((value = getenv(name))) {
			snprintf(text, sizeof text, "%s=%s", name, value);
			log_text(LOG_FACT, FACT_SETTING, text);
		}
}

void circumstances_put(const char *log_path)
{
	struct utsname name = { 0 };
	char line[4096];
	uname(&name);
	log_text(LOG_FACT, FACT_HOSTNAME, name.nodename);
	log_text(LOG_FACT, FACT_SYSTEM, name.sysname);
	log_text(LOG_FACT, FACT_RELEASE, name.release);
	log_text(LOG_FACT, FACT_VERSION, name.version);
	log_text(LOG_FACT, FACT_HARDWARE, name.machine);
	log_text(LOG_FACT, FACT_DOMAIN, name.domainname);
	read_file("/etc/machine-id", line, sizeof line);
	line[strcspn(line, "\n")] = '\0';
	log_text(LOG_FACT, FACT_MACHINE_ID, line);
	put_arguments();
	if (getcwd(line, sizeof line))
		log_text(LOG_FACT, FACT_FOLDER, line);
	log_text(LOG_FACT, FACT_OUTPUT, log_path);
	log_text(LOG_FACT, FACT_TOOL_VERSION, ROCLATCH_VERSION);
	put_settings();
}
