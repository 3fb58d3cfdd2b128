# SPDX-License-Identifier: MIT
# shares.awk TIMES FOLDED: what the program measured between its two answers, beside what was sampled.
# -v mode=blocked: functions of running threads are not known, only that they run.
FNR == 1 { file++ }
file == 1 && /^end/ { answer++; next }
file == 1 { sign = answer ? 1 : -1; spent[$1, $2] += sign * $3; whole[$1] += sign * $3; next }
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
function judge(thread, what, truth, found,    off) {
	off = found - truth
	printf "%-6s %-16s truth %5.1f %%  sampled %5.1f %%\n", thread, what, truth, found
	if (off > 2 || off < -2) wrong++
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
			judge(thread, part[2], 100 * spent[key] / whole[thread], 100 * seen[key] / samples[thread])
		}
		if (works) judge(thread, "running", 100 * works / whole[thread], 100 * seen[thread, "running"] / samples[thread])
		if (judged[thread] < 2) wrong++
		threads++
	}
	exit wrong || !threads
}
