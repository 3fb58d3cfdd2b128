/* SPDX-License-Identifier: MIT */
/* Any bytes as a target's machine code, at any place in a page: what is said of them holds, and nothing is read behind. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/unwind.h"

#define BASE 0x400000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *code, size_t size)
{
	static const uint8_t zeros[2];
	struct err err = { .code = ERR_NONE };
	if (arch_function_check(code, size, false, &err) < 0 && (err.code == ERR_NONE || !err.text[0]))
		abort();
	arch_function_check(code, size, true, NULL);
	err = (struct err){ .code = ERR_NONE };
	if (arch_trampoline_check(code, size, &err) < 0 ? !err.text[0] : size >= sizeof zeros && !memcmp(code, zeros, sizeof zeros))
		abort();
}

static void scan(const uint8_t *code, size_t size)
{
	struct gadgets gadgets = { 0 };
	arch_gadgets_scan(&gadgets, code, size, BASE);
	uint64_t at[] = { gadgets.syscall, gadgets.restore };
	for (int i = 0; i < 2; i++)
		if (at[i] && (at[i] < BASE || at[i] - BASE >= size))
			abort();
	/* what is found stands the last look before the jump, if there are bytes enough for that */
	if (gadgets.syscall && gadgets.syscall - BASE + 16 <= size && !arch_gadget_is_syscall(code + (gadgets.syscall - BASE)))
		abort();
	if (gadgets.restore && gadgets.restore - BASE + 16 <= size && !arch_gadget_is_restore(code + (gadgets.restore - BASE)))
		abort();
}

static void follow(const uint8_t *code, size_t size)
{
	struct unwind_entered entered;
	struct unwind_insn insn;
	uint64_t target, slot;
	for (size_t at = 0; at < size && arch_unwind_insn(code + at, size - at, &insn); at += insn.length)
		if (!insn.length || insn.length > size - at)
			abort();
	if (arch_unwind_follow(code, size, &entered) && (entered.depth < 0 || entered.ra_at < -1 || entered.fp_at < -1))
		abort();
	if (arch_unwind_is_jump(code, size, BASE, &target, &slot) && target && slot)
		abort();
	size_t last = size < UNWIND_CALL_MAX ? size : UNWIND_CALL_MAX;
	arch_unwind_is_call(code + size - last, last, BASE, &target);
	arch_unwind_call_slot(code + size - last, last, BASE);
}

/* The registers of the thread come first. */
static void leave(const uint8_t *data, size_t size)
{
	struct regs regs;
	struct arch_seen seen = { .blocked = true };
	long nr = 0;
	if (size < sizeof regs + ARCH_CODE_BEFORE + ARCH_CODE_BEHIND)
		return;
	memcpy(&regs, data, sizeof regs);
	const uint8_t *code = data + sizeof regs;
	arch_leads_to_exit(&regs, code, size - sizeof regs, BASE);
	enum arch_interrupted how = arch_interrupted(&regs, code + ARCH_CODE_BEFORE, &seen, &nr);
	arch_must_settle(&regs, code + ARCH_CODE_BEFORE);
	if (how > ARCH_EINTR)
		abort();
	if (how != ARCH_NOT_IN_CALL)
		arch_reissue(&regs, how, nr, seen.arg0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1024)
		return 0;
	check(data, size);
	scan(data, size);
	follow(data, size);
	leave(data, size);
	if (size >= 16) {
		arch_unwind_is_exit(data);
		arch_unwind_is_sigreturn(data);
	}
	return 0;
}
