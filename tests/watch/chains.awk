# SPDX-License-Identifier: MIT
# Does each thread of tests/watch/chains.c show its chain, from where it stands to where it began?
function judge(    want, n, i, at) {
	if (thread == "" || thread !~ /^(nanosleep|futex|read|poll|select|epoll|recv|pause|alloca|deep|qsort|handler|altstack)$/) return
	threads++
	if (thread == "alloca") want = "in_read in_alloca"
	else if (thread == "deep") want = "in_read in_depth in_deep"
	else if (thread == "qsort") want = "in_read compare in_qsort"
	else if (thread == "handler") want = "in_read on_signal handle in_handler"
	else if (thread == "altstack") want = "in_read on_signal handle in_altstack"
	else want = "in_" thread
	n = split(want " chain_inner chain_middle chain_outer", word, " ")
	at = 1
	for (i = 1; i <= frames; i++)
		if (at <= n && function_of[i] == word[at]) at++
	if (at <= n) { print thread ": " word[at] " is not where it should be"; wrong++ }
	if (thread == "deep" && depth != 301) { print "deep: " depth " frames of in_depth"; wrong++ }
}
/^TID / { judge(); thread = $3; gsub(/"/, "", thread); frames = depth = 0; next }
$1 ~ /^#[0-9]+\??$/ {
	name = $3
	sub(/\+0x[0-9a-f]+$/, "", name)
	sub(/\.(constprop|isra|part)\.[0-9]+$/, "", name)
	function_of[++frames] = name
	if (name == "in_depth") depth++
}
END { judge(); if (threads != 13) { print threads + 0 " threads of 13"; wrong++ } exit wrong ? 1 : 0 }
