# SPDX-License-Identifier: MIT
# peer.awk ROCLATCH PEER: what a peer shows on aarch64, with two things set right that come from the peer itself; both
# files, as they can be compared then, are written beside with ".right" behind their names.
# 1. A peer stops a thread that is blocked, and the kernel then sets pc back to the system call, which is to be made
#    again (arch/arm64/kernel/signal.c); roclatch has not stopped it, and sees pc behind it. So an innermost pc that is
#    one instruction before that of roclatch is taken for the same.
# 2. -v astray=1: eu-stack takes the return address of the interrupted function, as the kernel notes it beside a signal's
#    frame, for the place where it was interrupted, and finds no way on. What is behind a signal's frame is left out.
FNR == 1 { file++ }
{ right = FILENAME ".right" }
/^TID / { tid = $2; sub(/:/, "", tid); behind = 0 }
/^Thread/ && match($0, /(LWP|process) [0-9]+/) { tid = substr($0, RSTART, RLENGTH); sub(/.* /, "", tid); behind = 0 }
$1 !~ /^#[0-9]+\??$/ { print > right; next }
behind { next }
file == 1 {
	if ($1 == "#0") innermost[tid] = $2
	if ($3 ~ /^__kernel_rt_sigreturn/) { signal[tid] = $2; behind = astray }
	print > right
	next
}
{
	if ($1 == "#0" && next_to($2) == innermost[tid]) { sub(/0x[0-9a-f]+/, innermost[tid]); set++ }
	behind = astray && $2 == signal[tid]
	print > right
}
END { if (set) print set " innermost frames at the call that a stop makes anew" }

# the instruction behind
function next_to(pc,    digits, i, value) {
	digits = "0123456789abcdef"
	value = 4
	for (i = length(pc); i > 2 && value; i--) {
		value += index(digits, substr(pc, i, 1)) - 1
		pc = substr(pc, 1, i - 1) substr(digits, value % 16 + 1, 1) substr(pc, i + 1)
		value = value > 15
	}
	return pc
}
