# SPDX-License-Identifier: MIT
# stacks.awk ROCLATCH PEER: the frames' addresses of each thread, compared in order. -v peer=eu-stack|gdb.
# Told are all differences; the answer is yes if at least 99 of 100 frames are equal and no thread is missing.
FNR == 1 { file++ }
file == 1 && /^TID / { tid = $2; ours[tid] = 0; order[++threads] = tid; next }
file == 1 && $1 ~ /^#[0-9]+\??$/ { our[tid, ++ours[tid]] = number($2); how[tid, ours[tid]] = $0; next }
file == 1 && /goes no further/ { why[tid] = $0; next }
file == 2 && /^TID / { tid = $2; sub(/:/, "", tid); seen[tid] = 1; theirs[tid] = 0; next }
file == 2 && /^Thread/ && match($0, /(LWP|process) [0-9]+/) { tid = substr($0, RSTART, RLENGTH); sub(/.* /, "", tid); seen[tid] = 1; theirs[tid] = 0; next }
file == 2 && /<signal handler called>/ { signals++; next }
file == 2 && $1 ~ /^#[0-9]+$/ && $2 ~ /^0x/ { their[tid, ++theirs[tid]] = number($2); line[tid, theirs[tid]] = $0 }

function number(text) { sub(/^0x0*/, "", text); return text }

END {
	for (t = 1; t <= threads; t++) {
		tid = order[t]
		if (!seen[tid]) { print "thread " tid " is not shown by " peer; missing++; continue }
		compare(tid)
	}
	printf "%d of %d frames equal, %d only here, %d only in %s\n", equal, equal + different + extra + short_by, extra, short_by, peer
	exit !(threads && !missing && equal > 0 && equal * 100 >= 99 * (equal + different + short_by))
}

# In step; a frame that one side has in addition (gdb leaves out the frame of a signal's return, others stop before
# the outermost one) is passed over.
function compare(tid,    i, k) {
	i = k = 1
	while (i <= ours[tid] && k <= theirs[tid]) {
		if (our[tid, i] == their[tid, k]) { equal++; i++; k++ }
		else if (i < ours[tid] && our[tid, i + 1] == their[tid, k]) { extra++; print tid " only here: " how[tid, i]; i++ }
		else if (k < theirs[tid] && our[tid, i] == their[tid, k + 1]) { short_by++; print tid " only there: " line[tid, k]; k++ }
		else { different++; print tid " differs: " how[tid, i] " / " line[tid, k]; i++; k++ }
	}
	for (; i <= ours[tid]; i++) { extra++; print tid " only here: " how[tid, i] }
	for (; k <= theirs[tid]; k++) { short_by++; print tid " only there: " line[tid, k] " " why[tid] }
}
