/* SPDX-License-Identifier: MIT */
#include "arch/unwind.h"

#include <Zydis/Zydis.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP };
_Static_assert(RBP == UNWIND_FP && RSP == UNWIND_SP && RIP == UNWIND_PC, "DWARF numbers");

void arch_unwind_regs(const struct regs *regs, struct frame_regs *frame)
{
	const struct user_regs_struct *r = &regs->gp;
	*frame = (struct frame_regs){
		.v = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10,
		       r->r11, r->r12, r->r13, r->r14, r->r15, r->rip },
		.known = (UINT64_C(1) << UNWIND_REGS) - 1,
	};
}

/* enum perf_event_x86_regs: AX BX CX DX SI DI BP SP IP, later R8 to R15 */
void arch_unwind_perf(const uint64_t *values, struct frame_regs *frame)
{
	static const uint8_t number[] = { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP,
					  R8, R9, R10, R11, R12, R13, R14, R15 };
	_Static_assert(sizeof number == UNWIND_REGS, "all of them");
	frame->known = 0;
	for (size_t i = 0; i < sizeof number; i++)
		frame_set(frame, number[i], values[i]);
}

uint64_t arch_unwind_strip(uint64_t addr)
{
	return addr;
}

static uint64_t relative32(const uint8_t *bytes, uint64_t after)
{
	int32_t distance;
	memcpy(&distance, bytes, sizeof distance);
	return after + (uint64_t)(int64_t)distance;
}

/* How long ff /2 with this ModRM (and SIB) is. */
static size_t indirect_size(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	if (mod == 3)
		return 2;
	size_t size = 2 + (rm == 4);
	if (mod == 0)
		return size + (rm == 5 || (rm == 4 && (sib & 7) == 5) ? 4 : 0);
	return size + (mod == 1 ? 1 : 4);
}

static bool is_indirect(const uint8_t *bytes, size_t size)
{
	for (size_t n = 2; n <= size && n <= UNWIND_CALL_MAX; n++) {
		const uint8_t *at = bytes + size - n;
		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && indirect_size(at[1], n > 2 ? at[2] : 0) == n)
			return true;
	}
	return false;
}

bool arch_unwind_is_call(const uint8_t *bytes, size_t size, uint64_t after, uint64_t *target)
{
	const uint8_t *end = bytes + size;
	bool direct = size >= 5 && end[-5] == 0xe8;
	/* What is called is rarely further than 16 MB: then the last byte tells e8 from bytes of another call. */
	bool near = direct && (end[-1] == 0 || end[-1] == 0xff);
	*target = 0;
	if (!near && is_indirect(bytes, size))
		return true;
	if (direct)
		*target = relative32(end - 4, after);
	return direct;
}

uint64_t arch_unwind_call_slot(const uint8_t *bytes, size_t size, uint64_t after)
{
	const uint8_t *end = bytes + size;
	return size >= 6 && end[-6] == 0xff && end[-5] == 0x15 ? relative32(end - 4, after) : 0;
}

bool arch_unwind_is_jump(const uint8_t *code, size_t size, uint64_t at, uint64_t *target, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t i = size >= 4 && !memcmp(code, endbr64, 4) ? 4 : 0;
	*target = *slot = 0;
	if (i < size && code[i] == 0xf2)        /* bnd */
		i++;
	if (size - i >= 6 && code[i] == 0xff && code[i + 1] == 0x25)
		*slot = relative32(code + i + 2, at + i + 6);
	else if (size - i >= 5 && code[i] == 0xe9)
		*target = relative32(code + i + 1, at + i + 5);
	else if (size - i >= 2 && code[i] == 0xeb)
		*target = at + i + 2 + (uint64_t)(int64_t)(int8_t)code[i + 1];
	return *target || *slot;
}

static bool is_of_rsp(const ZydisDecodedInstruction *insn)
{
	return insn->raw.modrm.mod == 3 && insn->raw.modrm.rm == 4 && insn->raw.rex.W && !insn->raw.rex.B;
}

/* lea or mov to %rsp: from %rbp mostly, less what was pushed behind it */
static bool sets_rsp(const ZydisDecodedInstruction *insn)
{
	bool to_reg = insn->opcode == 0x8d || insn->opcode == 0x8b;
	if (insn->opcode == 0x89)
		return is_of_rsp(insn);
	return to_reg && insn->raw.modrm.reg == 4 && insn->raw.rex.W && !insn->raw.rex.R;
}

static bool is_conditional(const ZydisDecodedInstruction *insn)
{
	uint8_t high = insn->opcode & 0xf0;
	return insn->opcode_map == ZYDIS_OPCODE_MAP_0F ? high == 0x80 :
	       insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (high == 0x70 || (insn->opcode & 0xfc) == 0xe0);
}

static void judge(const ZydisDecodedInstruction *insn, struct unwind_insn *out)
{
	int64_t value = insn->raw.imm[0].value.s;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_PUSHFQ:
		out->depth = 8;
		if (insn->opcode == 0x55 && !insn->raw.rex.B)   /* push %rbp */
			out->fp_at = 0;
		break;
	case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_POPFQ:
		out->depth = -8;
		break;
	case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_ADD:
		if (!is_of_rsp(insn) || (insn->opcode != 0x81 && insn->opcode != 0x83))
			out->lost = is_of_rsp(insn);
		else
			out->depth = insn->mnemonic == ZYDIS_MNEMONIC_SUB ? value : -value;
		break;
	case ZYDIS_MNEMONIC_AND:
		out->lost = is_of_rsp(insn);
		break;
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_LEA:
		out->lost = sets_rsp(insn);
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		out->reset = true;
		break;
	case ZYDIS_MNEMONIC_RET: case ZYDIS_MNEMONIC_UD2: case ZYDIS_MNEMONIC_HLT: case ZYDIS_MNEMONIC_ENTER:
		out->flow = FLOW_END;
		break;
	case ZYDIS_MNEMONIC_JMP:
		out->flow = insn->raw.imm[0].is_relative ? FLOW_JUMP : FLOW_END;
		out->distance = insn->length + value;
		break;
	default:
		if (is_conditional(insn)) {
			out->flow = FLOW_BRANCH;
			out->distance = insn->length + value;
		}
	}
}

bool arch_unwind_insn(const uint8_t *code, size_t size, struct unwind_insn *out)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	*out = (struct unwind_insn){ .flow = FLOW_ON, .ra_at = -1, .fp_at = -1 };
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, &insn)))
		return false;
	out->length = insn.length;
	judge(&insn, out);
	return true;
}

bool arch_unwind_is_exit(const uint8_t code[16])
{
	/* mov $60, %al or %eax; syscall */
	static const uint8_t narrow[] = { 0xb0, 0x3c, 0x0f, 0x05 }, wide[] = { 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05 };
	return memmem(code, 16, narrow, sizeof narrow) || memmem(code, 16, wide, sizeof wide);
}

bool arch_unwind_is_sigreturn(const uint8_t code[16])
{
	/* mov $15, %rax; syscall, or with the shorter mov to %eax */
	static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t narrow[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	return !memcmp(code, wide, sizeof wide) || !memcmp(code, narrow, sizeof narrow);
}

/* A handler's return takes pretcode off struct rt_sigframe (arch/x86/include/asm/sigframe.h): then sp
 * is at the ucontext. */
int arch_unwind_sigcontext(unsigned number)
{
	static const uint8_t place[UNWIND_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40, "struct ucontext of the kernel");
	_Static_assert(REG_R8 == 0 && REG_RSP == 15 && REG_RIP == 16, "struct sigcontext of the kernel");
	return number < UNWIND_REGS ? (int)(offsetof(ucontext_t, uc_mcontext.gregs) + 8 * place[number]) : -1;
}
