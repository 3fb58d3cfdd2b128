# SPDX-License-Identifier: MIT
# shares.awk TIMES FOLDED: what the program measured between its two answers, beside what was sampled.
# -v mode=blocked: functions of running threads are not known, only that they run.
# What a thread waited for a CPU after it was woken runs, by the kernel's word, but the one who looks may be who has that
# CPU, and then sees less of it: it may count as blocked. It is little unless CPUs are few or others are at work.
FNR == 1 { file++ }
file == 1 && /^end/ { answer++; next }
file == 1 {
	sign = answer ? 1 : -1
	spent[$1, $2] += sign * $3
	whole[$1] += sign * $3
	waited[$1, $2] += sign * $4
	waited[$1, "running"] -= sign * $4
	next
}
{
	count = $NF
	line = $0
	sub(/ [0-9]+$/, "", line)
	n = split(line, frame, ";")
	thread = frame[1]
	sub(/-[0-9]+$/, "", thread)
	if (!(thread in whole)) next
	samples[thread] += count
	what = "running"
	if (match(frame[n], /^\[[a-z0-9_]+\]$/)) what = substr(frame[n], 2, RLENGTH - 2)
	if (what == "running")
		for (i = 2; i <= n; i++) if (frame[i] ~ /^work_[abc]$/) what = frame[i]
	seen[thread, what] += count
}
function judge(thread, what, time, found,    truth, more, off) {
	truth = 100 * time / whole[thread]
	more = 100 * waited[thread, what] / whole[thread]       # less than 0: of what runs
	found = 100 * found / samples[thread]
	off = found - truth
	printf "%-6s %-16s truth %5.1f %% (%+.1f)  sampled %5.1f %%\n", thread, what, truth, more, found
	if (off > 2 + (more > 0 ? more : 0) || off < -2 + (more < 0 ? more : 0)) wrong++
	judged[thread]++
}
END {
	for (thread in whole) {
		if (!samples[thread] || whole[thread] <= 0) { print "no samples of " thread; exit 1 }
		works = 0
		for (key in spent) {
			split(key, part, SUBSEP)
			if (part[1] != thread || !spent[key]) continue
			if (mode == "blocked" && part[2] ~ /^work|^running/) { works += spent[key]; continue }
			judge(thread, part[2], spent[key], seen[key])
		}
		if (works) judge(thread, "running", works, seen[thread, "running"])
		if (judged[thread] < 2) wrong++
		threads++
	}
	exit wrong || !threads
}
