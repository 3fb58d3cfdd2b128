# SPDX-License-Identifier: MIT
# One table in Markdown of lines "@figure KEY WHO VALUE ERROR RUNS":  awk -f table.awk figures.tsv RESULTS
# Rows stand in the order of figures.tsv; what was not measured is left out.  Beside each figure of a peer stands how many
# times roclatch's it is, beside roclatch's how many times the floor's.  What is expected, all of it:
#   <=N          roclatch's figure
#   floor<=N     roclatch's, in floors
#   =floor       no more than the floor
#   PEER>=N      the peer's, in roclatch's
# A limit within the error of what was measured "cannot be told", other than =floor, where that is what is expected.
# With -v plain=1: figures that miss what is expected, one in a line.
BEGIN {
	FS = "\t"
	peers = split("gdb lldb eu-stack perf ps text", peer, " ")
}
FILENAME == ARGV[1] {
	if ($0 ~ /^#/)
		next
	key[++keys] = $1
	title[$1] = $2
	unit[$1] = $3
	floor_is[$1] = $4
	expected[$1] = $5
	next
}
/^@figure / {
	n = split($0, word, " ")
	if (n == 6 && !(word[2] in title)) {
		printf "table.awk: %s is not in figures.tsv and left out\n", word[2] > "/dev/stderr"
		next
	}
	if (n != 6 || word[4] !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) {
		printf "table.awk: not a figure: %s\n", $0 > "/dev/stderr"
		bad = 1
		next
	}
	value[word[2], word[3]] = word[4]
	error[word[2], word[3]] = word[5]
}
function number(x,	size) {
	size = x < 0 ? -x : x
	return sprintf(size >= 100 || x == int(x) ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", x)
}
function with_error(k, who) {
	if (!((k, who) in value))
		return ""
	return number(value[k, who]) (error[k, who] > 0 ? " ± " number(error[k, who]) : "")
}
# Ratios only of what is greater than its error: else it is noise.
function ratio(k, a, b) {
	if (!((k, a) in value) || !((k, b) in value) || value[k, b] <= error[k, b] || value[k, a] <= 0)
		return ""
	return value[k, a] / value[k, b]
}
function ratio_error(k, a, b) {
	return ratio(k, a, b) * (error[k, a] / value[k, a] + error[k, b] / value[k, b])
}
# judge: 1 met, 0 not, -1 cannot be told, -2 not measured
function judge_number(x, e, limit, at_least) {
	if (x - e <= limit && x + e >= limit && e > 0)
		return -1
	return at_least ? x >= limit : x <= limit
}
function judge(k, rule,	who, x) {
	if (rule == "=floor") {
		if (!((k, "floor") in value))
			return -2
		return value[k, "roclatch"] - error[k, "roclatch"] <= value[k, "floor"] + error[k, "floor"]
	}
	if (rule ~ /^<=/)
		return judge_number(value[k, "roclatch"], error[k, "roclatch"], substr(rule, 3) + 0, 0)
	who = substr(rule, 1, index(rule, rule ~ /<=/ ? "<=" : ">=") - 1)
	x = who == "floor" ? ratio(k, "roclatch", "floor") : ratio(k, who, "roclatch")
	if (x == "")
		return -2
	return judge_number(x, who == "floor" ? ratio_error(k, "roclatch", "floor") : ratio_error(k, who, "roclatch"), \
		substr(rule, length(who) + 3) + 0, who != "floor")
}
function words(rule) {
	if (rule == "=floor")
		return "as the floor"
	if (rule ~ /^<=/)
		return "at most " substr(rule, 3)
	if (rule ~ /^floor<=/)
		return "at most " substr(rule, 8) " floors"
	return substr(rule, 1, index(rule, ">=") - 1) " at least " substr(rule, index(rule, ">=") + 2) " times"
}
function verdict(k, rules, n, i, met, all, text) {
	n = split(expected[k], rules, " ")
	for (i = 1; i <= n; i++) {
		met = judge(k, rules[i])
		text = text (i > 1 ? ", " : "") (met == 1 ? "yes" : met == 0 ? "**no**" : met == -1 ? "cannot be told" : "not measured")
		if (met == 0)
			missed[++misses] = title[k] ": " with_error(k, "roclatch") " " unit[k] ", expected " words(rules[i])
	}
	return text
}
function all_words(k, rules, n, i, text) {
	n = split(expected[k], rules, " ")
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") words(rules[i])
	return text
}
function others(k,	i, r, text) {
	for (i = 5; i <= peers; i++)
		if ((k, peer[i]) in value) {
			r = ratio(k, peer[i], "roclatch")
			text = text (text ? ", " : "") peer[i] " " with_error(k, peer[i]) (r == "" ? "" : " (" number(r) "x)")
		}
	return text
}
END {
	if (!plain) {
		print "| figure | unit | roclatch | floor | roclatch / floor | gdb | lldb | eu-stack | perf | others | expected | met |"
		print "|---|---|---|---|---|---|---|---|---|---|---|---|"
	}
	for (i = 1; i <= keys; i++) {
		k = key[i]
		if (!((k, "roclatch") in value))
			continue
		rows++
		r = ratio(k, "roclatch", "floor")
		line = "| " title[k] " | " unit[k] " | " with_error(k, "roclatch") " | " \
			((k, "floor") in value ? with_error(k, "floor") " (" floor_is[k] ")" : "") " | " (r == "" ? "" : number(r) "x") " |"
		for (j = 1; j <= 4; j++) {
			r = ratio(k, peer[j], "roclatch")
			line = line " " with_error(k, peer[j]) (r == "" ? "" : " (" number(r) "x)") " |"
		}
		line = line " " others(k) " | " all_words(k) " | " verdict(k) " |"
		gsub(/  +/, " ", line)
		if (!plain)
			print line
	}
	for (i = 1; plain && i <= misses; i++)
		print missed[i]
	if (!rows) {
		print "table.awk: no figures" > "/dev/stderr"
		bad = 1
	}
	exit bad
}
