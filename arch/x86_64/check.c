/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <Zydis/Zydis.h>
#include <asm/unistd.h>

static bool decode(const uint8_t *code, size_t size, ZydisDecodedInstruction *insn)
{
	ZydisDecoder decoder;
	return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, insn));
}

/* c3; Zydis gives the far form and the one that takes bytes the same mnemonic */
static bool is_near_ret(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_RET && insn->opcode == 0xc3;
}

bool arch_gadget_is_syscall(const uint8_t code[16])
{
	ZydisDecodedInstruction first, second;
	return decode(code, 16, &first) && first.mnemonic == ZYDIS_MNEMONIC_SYSCALL &&
	       decode(code + first.length, 16u - first.length, &second) && is_near_ret(&second);
}

/* mov $imm32, %rax: REX.W C7 /0 with rm = rax */
static bool is_mov_rax(const ZydisDecodedInstruction *insn, int64_t value)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_MOV && insn->opcode == 0xc7 &&
	       insn->raw.rex.W && !insn->raw.rex.B && insn->raw.modrm.mod == 3 &&
	       insn->raw.modrm.rm == 0 && insn->raw.imm[0].value.s == value;
}

bool arch_gadget_is_restore(const uint8_t code[16])
{
	ZydisDecodedInstruction first, second;
	return decode(code, 16, &first) && is_mov_rax(&first, __NR_rt_sigreturn) &&
	       decode(code + first.length, 16u - first.length, &second) &&
	       second.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
}

/* Everything that trampoline.S is made of, in the forms that it uses. */
static bool is_of_trampoline(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CMP: case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_FNINIT: case ZYDIS_MNEMONIC_LDMXCSR: case ZYDIS_MNEMONIC_CLD:
		return true;
	case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_ADD: case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_TEST:
		return !(insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) || insn->raw.modrm.mod == 3;        /* zeros are no code */
	case ZYDIS_MNEMONIC_MOV:        /* of general registers */
		return insn->opcode == 0x89 || insn->opcode == 0x8b || insn->opcode == 0xc7 ||
		       (insn->opcode & 0xf8) == 0xb8;
	case ZYDIS_MNEMONIC_JMP: case ZYDIS_MNEMONIC_JZ: case ZYDIS_MNEMONIC_JNZ:
		return insn->raw.imm[0].is_relative;
	case ZYDIS_MNEMONIC_CALL:       /* near: e8, or ff /2 */
		return insn->raw.imm[0].is_relative || (insn->opcode == 0xff && insn->raw.modrm.reg == 2);
	case ZYDIS_MNEMONIC_RET:
		return is_near_ret(insn);
	default:
		return false;
	}
}

static bool ends_flow(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_JMP || insn->mnemonic == ZYDIS_MNEMONIC_RET;
}

#define TRAMPOLINE_MAX 1024

int arch_trampoline_check(const uint8_t *code, size_t size, struct err *err)
{
	bool starts[TRAMPOLINE_MAX] = { false }, jumped_to[TRAMPOLINE_MAX] = { false }, ended = false;
	if (size == 0 || size > TRAMPOLINE_MAX)
		return err_set(err, ERR_FAILED, 0, "the trampoline has %zu bytes", size);
	for (size_t at = 0; at < size;) {
		ZydisDecodedInstruction insn;
		if (!decode(code + at, size - at, &insn) || !is_of_trampoline(&insn))
			return err_set(err, ERR_FAILED, 0,
				       "the trampoline holds an instruction at +0x%zx that it must not", at);
		if (insn.raw.imm[0].is_relative) {
			int64_t to = (int64_t)at + insn.length + insn.raw.imm[0].value.s;
			if (to < 0 || to >= (int64_t)size)
				return err_set(err, ERR_FAILED, 0,
					       "the trampoline jumps out of itself at +0x%zx", at);
			jumped_to[to] = true;
		}
		starts[at] = true;
		ended = ends_flow(&insn);
		at += insn.length;
	}
	for (size_t at = 0; at < size; at++)
		if (jumped_to[at] && !starts[at])
			return err_set(err, ERR_FAILED, 0,
				       "the trampoline jumps into an instruction at +0x%zx", at);
	return ended ? 0 : err_set(err, ERR_FAILED, 0, "the trampoline runs off its end");
}

/* Instructions with which no function begins, though they decode. */
static bool is_trap(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_INT3: case ZYDIS_MNEMONIC_INT: case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_UD0: case ZYDIS_MNEMONIC_UD1: case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT: case ZYDIS_MNEMONIC_IN: case ZYDIS_MNEMONIC_OUT:
	case ZYDIS_MNEMONIC_IRETQ: case ZYDIS_MNEMONIC_SYSRET:
		return true;
	default:
		return false;
	}
}

int arch_function_check(const uint8_t *code, size_t size, bool guarded, struct err *err)
{
	(void)guarded;          /* Linux does not enforce IBT in user space */
	static const uint8_t zeros[4];
	if (size >= sizeof zeros && !__builtin_memcmp(code, zeros, sizeof zeros))
		return err_set(err, ERR_NOT_POSSIBLE, 0, "it begins with zeros, not with code");
	/* The last instruction of the window may be cut, so leave 15 bytes at its end. */
	for (size_t at = 0; at == 0 || at + 15 <= size;) {
		ZydisDecodedInstruction insn;
		if (!decode(code + at, size - at, &insn))
			return err_set(err, ERR_NOT_POSSIBLE, 0,
				       "its bytes at +0x%zx are no instruction", at);
		if (insn.mnemonic == ZYDIS_MNEMONIC_RET || insn.mnemonic == ZYDIS_MNEMONIC_JMP)
			return 0;
		if (is_trap(insn.mnemonic))
			return err_set(err, ERR_NOT_POSSIBLE, 0,
				       "it has a trap or privileged instruction at +0x%zx", at);
		if (insn.meta.category == ZYDIS_CATEGORY_CALL)
			return 0;
		at += insn.length;
	}
	return 0;
}

/* A register by its number in an instruction. */
static cpu_word *numbered(struct regs *regs, unsigned number)
{
	struct user_regs_struct *r = &regs->gp;
	switch (number) {
	case 0: return &r->rax;
	case 1: return &r->rcx;
	case 2: return &r->rdx;
	case 3: return &r->rbx;
	case 5: return &r->rbp;
	case 6: return &r->rsi;
	case 7: return &r->rdi;
	case 8: return &r->r8;
	case 9: return &r->r9;
	case 10: return &r->r10;
	case 12: return &r->r12;
	case 13: return &r->r13;
	case 14: return &r->r14;
	case 15: return &r->r15;
	default: return NULL;   /* rsp; r11 is clobbered by the system call */
	}
}

/* Interpret one instruction that only moves registers.  False: it is something else. */
static bool follow(struct regs *regs, const ZydisDecodedInstruction *insn)
{
	bool register_form = insn->raw.modrm.mod == 3;
	unsigned rm = insn->raw.modrm.rm + 8u * insn->raw.rex.B;
	unsigned reg = insn->raw.modrm.reg + 8u * insn->raw.rex.R;
	cpu_word *to, *from;

	if (insn->mnemonic == ZYDIS_MNEMONIC_JMP && insn->raw.imm[0].is_relative) {
		regs->gp.rip += (unsigned long)insn->raw.imm[0].value.s;
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_XOR && insn->opcode == 0x31 && register_form) {
		if (rm != reg || !(to = numbered(regs, rm)))
			return false;
		*to = 0;
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_MOV && (insn->opcode & 0xf8) == 0xb8) {
		if (!(to = numbered(regs, (insn->opcode & 7u) + 8u * insn->raw.rex.B)))
			return false;
		*to = insn->raw.imm[0].value.u;
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_MOV && insn->opcode == 0x89 && register_form) {
		if (!(to = numbered(regs, rm)) || !(from = numbered(regs, reg)))
			return false;
		*to = *from;
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_MOV && insn->opcode == 0xc7 && register_form) {
		if (!(to = numbered(regs, rm)))
			return false;
		*to = (unsigned long)insn->raw.imm[0].value.s;
	} else if (insn->mnemonic != ZYDIS_MNEMONIC_NOP && insn->mnemonic != ZYDIS_MNEMONIC_ENDBR64) {
		return false;
	}
	regs->gp.rip += insn->length;
	return true;
}

bool arch_leads_to_exit(const struct regs *regs, const uint8_t *text, size_t size, uint64_t base)
{
	struct regs now = *regs;
	for (int i = 0; i < 16; i++) {
		ZydisDecodedInstruction insn;
		uint64_t at = now.gp.rip - base;
		if (now.gp.rip < base || at >= size || !decode(text + at, size - at, &insn))
			return false;
		if (insn.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
			return (now.gp.rax & 0xffffffff) == __NR_exit;
		if (!follow(&now, &insn))
			return false;
	}
	return false;
}
