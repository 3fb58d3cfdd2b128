/* SPDX-License-Identifier: MIT */
/*
 * Classic BPF as seccomp allows it (kernel/seccomp.c:seccomp_check_filter,
 * net/core/filter.c:bpf_check_classic).  Jumps go forward only, so a program
 * ends after at most as many steps as it has instructions.
 */
#include <string.h>

#include "inject/seccomp.h"

struct machine {
	uint32_t a, x, m[BPF_MEMWORDS];
	uint32_t answer;
	bool ended;
};

_Static_assert(sizeof(struct seccomp_data) == 64, "linux/seccomp.h");

static void end(struct machine *vm, uint32_t answer)
{
	vm->answer = answer;
	vm->ended = true;
}

static void malformed(struct machine *vm)
{
	end(vm, SECCOMP_RET_KILL_PROCESS);
}

static void alu(struct machine *vm, const struct sock_filter *in)
{
	bool by_x = BPF_SRC(in->code) == BPF_X;
	uint32_t with = by_x ? vm->x : in->k;
	switch (BPF_OP(in->code)) {
	case BPF_ADD: vm->a += with; return;
	case BPF_SUB: vm->a -= with; return;
	case BPF_MUL: vm->a *= with; return;
	case BPF_AND: vm->a &= with; return;
	case BPF_OR: vm->a |= with; return;
	case BPF_XOR: vm->a ^= with; return;
	case BPF_NEG: vm->a = -vm->a; return;
	case BPF_DIV:
		if (with)
			vm->a /= with;
		else if (by_x)
			end(vm, 0);     /* bpf_convert_filter: division by zero returns 0 */
		else
			malformed(vm);
		return;
	case BPF_LSH:
	case BPF_RSH:
		if (!by_x && with >= 32)
			malformed(vm);
		else
			vm->a = BPF_OP(in->code) == BPF_LSH ? vm->a << (with & 31) : vm->a >> (with & 31);
		return;
	default:
		malformed(vm);
	}
}

static void load(struct machine *vm, const struct sock_filter *in, const struct seccomp_data *data)
{
	uint32_t *to = BPF_CLASS(in->code) == BPF_LD ? &vm->a : &vm->x;
	bool to_a = to == &vm->a;
	switch (BPF_MODE(in->code) | BPF_SIZE(in->code)) {
	case BPF_IMM | BPF_W:
		*to = in->k;
		return;
	case BPF_MEM | BPF_W:
		if (in->k < BPF_MEMWORDS)
			*to = vm->m[in->k];
		else
			malformed(vm);
		return;
	case BPF_LEN | BPF_W:
		*to = sizeof *data;
		return;
	case BPF_ABS | BPF_W:
		if (to_a && in->k < sizeof *data && in->k % 4 == 0)
			memcpy(to, (const char *)data + in->k, sizeof *to);
		else
			malformed(vm);
		return;
	default:
		malformed(vm);
	}
}

/* How many instructions to leave out. */
static uint32_t jump(struct machine *vm, const struct sock_filter *in)
{
	uint32_t with = BPF_SRC(in->code) == BPF_X ? vm->x : in->k;
	bool yes = false;
	switch (BPF_OP(in->code)) {
	case BPF_JA: return in->k;
	case BPF_JEQ: yes = vm->a == with; break;
	case BPF_JGT: yes = vm->a > with; break;
	case BPF_JGE: yes = vm->a >= with; break;
	case BPF_JSET: yes = (vm->a & with) != 0; break;
	default: malformed(vm);
	}
	return yes ? in->jt : in->jf;
}

static void store(struct machine *vm, const struct sock_filter *in)
{
	if (in->k < BPF_MEMWORDS)
		vm->m[in->k] = BPF_CLASS(in->code) == BPF_ST ? vm->a : vm->x;
	else
		malformed(vm);
}

static void give_answer(struct machine *vm, const struct sock_filter *in)
{
	if (BPF_RVAL(in->code) == BPF_K)
		end(vm, in->k);
	else if (BPF_RVAL(in->code) == BPF_A)
		end(vm, vm->a);
	else
		malformed(vm);
}

uint32_t seccomp_evaluate(const struct sock_filter *program, size_t length, const struct seccomp_data *data)
{
	struct machine vm = {0};
	if (length > BPF_MAXINSNS)
		return SECCOMP_RET_KILL_PROCESS;
	for (size_t pc = 0; !vm.ended && pc < length; pc++) {
		const struct sock_filter *in = &program[pc];
		uint32_t skip = 0;
		if (in->code > 0xff)
			return SECCOMP_RET_KILL_PROCESS;
		switch (BPF_CLASS(in->code)) {
		case BPF_LD:
		case BPF_LDX: load(&vm, in, data); break;
		case BPF_ST:
		case BPF_STX: store(&vm, in); break;
		case BPF_ALU: alu(&vm, in); break;
		case BPF_JMP: skip = jump(&vm, in); break;
		case BPF_RET: give_answer(&vm, in); break;
		default:
			if (BPF_MISCOP(in->code) == BPF_TAX)
				vm.x = vm.a;
			else if (BPF_MISCOP(in->code) == BPF_TXA)
				vm.a = vm.x;
			else
				malformed(&vm);
		}
		if (skip > length - pc - 1)
			malformed(&vm);
		pc += skip;
	}
	return vm.ended ? vm.answer : SECCOMP_RET_KILL_PROCESS;
}
