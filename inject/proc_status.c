/* SPDX-License-Identifier: MIT */
/* /proc/PID/status, stat and syscall; made by fs/proc/array.c and base.c. */
#include "inject/cursor.h"
#include "inject/proc.h"

static bool decimal(struct cursor *c, uint64_t *value)
{
	cursor_blanks(c);
	return cursor_number(c, 10, value);
}

static bool parse_pid(struct cursor *c, pid_t *pid)
{
	uint64_t value;
	if (!decimal(c, &value) || value > INT32_MAX)
		return false;
	*pid = (pid_t)value;
	return true;
}

static bool parse_ids(struct cursor *c, uint32_t id[4])
{
	for (int i = 0; i < 4; i++) {
		uint64_t value;
		if (!decimal(c, &value) || value > UINT32_MAX)
			return false;
		id[i] = (uint32_t)value;
	}
	return true;
}

static bool parse_mask(struct cursor *c, uint64_t *mask)
{
	cursor_blanks(c);
	return cursor_number(c, 16, mask);
}

static bool parse_small(struct cursor *c, int *value)
{
	uint64_t number;
	if (!decimal(c, &number) || number > INT32_MAX)
		return false;
	*value = (int)number;
	return true;
}

static bool parse_name(const struct cursor *c, char *name, size_t size)
{
	size_t n = (size_t)(c->end - c->at);
	if (n > size - 1)
		n = size - 1;
	memcpy(name, c->at, n);
	name[n] = '\0';
	return true;
}

static bool parse_state(struct cursor *c, char *state)
{
	cursor_blanks(c);
	if (!cursor_more(c))
		return false;
	*state = *c->at;
	return true;
}

static bool parse_nspid(struct cursor *c, struct proc_status *s)
{
	s->nspid_count = 0;
	for (cursor_blanks(c); cursor_more(c); cursor_blanks(c)) {
		if (s->nspid_count == PROC_NSPID_MAX || !parse_pid(c, &s->nspid[s->nspid_count]))
			return false;
		s->nspid_count++;
	}
	return true;
}

static bool has_word(struct cursor c, const char *word)
{
	size_t size = strlen(word);
	for (; (size_t)(c.end - c.at) >= size; c.at++)
		if (memcmp(c.at, word, size) == 0)
			return true;
	return false;
}

static bool parse_field(struct proc_status *s, const char *key, size_t key_size, struct cursor c)
{
#define IS(text) (key_size == sizeof(text) - 1 && memcmp(key, text, sizeof(text) - 1) == 0)
	uint64_t value;
	int flag = 0;
	cursor_take(&c, '\t');
	if (IS("Name"))
		return parse_name(&c, s->name, sizeof s->name);
	if (IS("State"))
		return parse_state(&c, &s->state);
	if (IS("Tgid"))
		return parse_pid(&c, &s->tgid);
	if (IS("Pid"))
		return parse_pid(&c, &s->pid);
	if (IS("PPid"))
		return parse_pid(&c, &s->ppid);
	if (IS("TracerPid"))
		return parse_pid(&c, &s->tracer);
	if (IS("Uid"))
		return parse_ids(&c, s->uid);
	if (IS("Gid"))
		return parse_ids(&c, s->gid);
	if (IS("NSpid"))
		return parse_nspid(&c, s);
	if (IS("VmRSS"))
		return decimal(&c, &s->vm_rss_kb);
	if (IS("Threads")) {
		if (!decimal(&c, &value) || value > UINT32_MAX)
			return false;
		s->threads = (unsigned)value;
		return true;
	}
	if (IS("SigPnd"))
		return parse_mask(&c, &s->sig_pending);
	if (IS("ShdPnd"))
		return parse_mask(&c, &s->shared_pending);
	if (IS("SigBlk"))
		return parse_mask(&c, &s->sig_blocked);
	if (IS("SigIgn"))
		return parse_mask(&c, &s->sig_ignored);
	if (IS("SigCgt"))
		return parse_mask(&c, &s->sig_caught);
	if (IS("CapInh"))
		return parse_mask(&c, &s->cap_inheritable);
	if (IS("CapPrm"))
		return parse_mask(&c, &s->cap_permitted);
	if (IS("CapEff"))
		return parse_mask(&c, &s->cap_effective);
	if (IS("CapBnd"))
		return parse_mask(&c, &s->cap_bounding);
	if (IS("NoNewPrivs")) {
		bool ok = parse_small(&c, &flag);
		s->no_new_privs = flag != 0;
		return ok;
	}
	if (IS("CoreDumping")) {
		bool ok = parse_small(&c, &flag);
		s->dumps_core = flag != 0;
		return ok;
	}
	if (IS("Seccomp"))
		return parse_small(&c, &s->seccomp);
	if (IS("Seccomp_filters"))
		return parse_small(&c, &s->seccomp_filters);
	if (IS("x86_Thread_features"))
		s->shadow_stack = has_word(c, "shstk");
	return true;
#undef IS
}

int status_parse(struct proc_status *status, const char *text, size_t size, struct err *err)
{
	*status = (struct proc_status){.seccomp = -1, .seccomp_filters = -1};
	struct cursor rest = {text, text + size};
	while (cursor_more(&rest)) {
		struct cursor line = cursor_line(&rest);
		const char *colon = memchr(line.at, ':', (size_t)(line.end - line.at));
		if (!colon)
			continue;
		size_t key_size = (size_t)(colon - line.at);
		if (!parse_field(status, line.at, key_size, (struct cursor){colon + 1, line.end}))
			return err_set(err, ERR_FAILED, 0, "field %.*s of the status is malformed",
				       key_size < 32 ? (int)key_size : 32, line.at);
	}
	if (status->tgid == 0 || status->pid == 0 || status->state == '\0')
		return err_set(err, ERR_FAILED, 0, "the status does not tell Tgid, Pid and State");
	return 0;
}

/* proc_pid_stat(5): fields are counted from 1; the name in brackets (2) may
 * hold blanks and brackets itself. */
/* Field 39, behind addresses and masks; -1 if the line ends before. */
static int parse_processor(struct cursor *c)
{
	uint64_t skipped;
	int64_t value = 0;
	for (int field = 23; field <= 37; field++) {
		cursor_blanks(c);
		if (!cursor_number(c, 10, &skipped))
			return -1;
	}
	for (int field = 38; field <= 39; field++) {
		cursor_blanks(c);
		if (!cursor_signed(c, &value))
			return -1;
	}
	return value >= 0 && value <= INT32_MAX ? (int)value : -1;
}

/* What stands between the first bracket and the last. */
static void parse_bracketed(struct proc_stat *stat, struct cursor c, const char *bracket)
{
	cursor_blanks(&c);
	if (cursor_take(&c, '(') && c.at <= bracket)
		parse_name(&(struct cursor){ c.at, bracket }, stat->name, sizeof stat->name);
}

static void take_field(struct proc_stat *stat, int field, int64_t value)
{
	switch (field) {
	case 4: stat->ppid = value >= 0 && value <= INT32_MAX ? (pid_t)value : 0; break;
	case 9: stat->flags = (uint64_t)value; break;
	case 10: case 12: stat->faults += (uint64_t)value; break;
	case 14: stat->utime = (uint64_t)value; break;
	case 15: stat->stime = (uint64_t)value; break;
	case 20: stat->threads = value >= 0 && value <= INT32_MAX ? (unsigned)value : 0; break;
	case 22: stat->start_time = (uint64_t)value; break;
	}
}

int stat_parse(struct proc_stat *stat, const char *text, size_t size, struct err *err)
{
	*stat = (struct proc_stat){0};
	struct cursor c = {text, text + size};
	const char *bracket = NULL;
	for (const char *p = text; p < c.end; p++)
		if (*p == ')')
			bracket = p;
	if (!parse_pid(&c, &stat->pid) || !bracket)
		return err_set(err, ERR_FAILED, 0, "the stat line is malformed");
	parse_bracketed(stat, c, bracket);
	c.at = bracket + 1;
	if (!parse_state(&c, &stat->state))
		return err_set(err, ERR_FAILED, 0, "the stat line ends before the state");
	c.at++;
	for (int field = 4; field <= 22; field++) {
		int64_t value;
		cursor_blanks(&c);
		if (!cursor_signed(&c, &value))
			return err_set(err, ERR_FAILED, 0, "field %d of the stat line is malformed", field);
		take_field(stat, field, value);
	}
	stat->processor = parse_processor(&c);
	return 0;
}

static bool parse_hex(struct cursor *c, uint64_t *value)
{
	cursor_blanks(c);
	return cursor_take(c, '0') && cursor_take(c, 'x') && cursor_number(c, 16, value);
}

int syscall_parse(struct proc_syscall *call, const char *text, size_t size, struct err *err)
{
	*call = (struct proc_syscall){.nr = -1};
	struct cursor c = {text, text + size};
	if (size >= 7 && memcmp(text, "running", 7) == 0) {
		call->running = true;
		return 0;
	}
	int64_t nr;
	bool ok = cursor_signed(&c, &nr);
	/* "-1 SP PC": blocked outside of a system call */
	for (int i = 0; ok && nr >= 0 && i < 6; i++)
		ok = parse_hex(&c, &call->args[i]);
	ok = ok && parse_hex(&c, &call->sp) && parse_hex(&c, &call->pc);
	if (!ok)
		return err_set(err, ERR_FAILED, 0, "the text of /proc/TID/syscall is malformed");
	call->nr = (long)nr;
	return 0;
}
