# SPDX-License-Identifier: MIT
# Turn the output of suites into one line for each test: "ok NAME", "not ok NAME" or "skip NAME why".
# Understood are such lines themselves, a plan "1..N", Unity's "file:line:test:PASS|FAIL|IGNORE", and
# the @ lines of tests/lab/suite.sh. A suite that dies, says nothing or stops short is a failure, and
# what a failed suite said is shown below it. -v prefix=CPU/ goes before each name.

function report(verdict, name) {
	print verdict " " prefix name
	told++
	if (verdict == "not ok") failed++
}

function show_output(    i, first) {
	first = said > 200 ? said - 199 : 1
	if (first > 1) print "# (" first - 1 " lines before)"
	for (i = first; i <= said; i++) print "# " output[i]
}

function begin(name) {
	suite = name; open = 1; said = told = failed = 0; plan = -1
	inner = name == "live" ? "" : name "/"
}

function end(status, limit, seconds) {
	if (status == 137) report("not ok", suite " (killed, perhaps by the limit of " limit " s)")
	else if (status != 0 && !failed) report("not ok", suite " (ended with status " status ")")
	else if (!told) report("not ok", suite " (ran no test)")
	else if (plan >= 0 && told != plan) report("not ok", suite " (planned " plan " tests, told of " told ")")
	if (failed) show_output()
	if (seconds > 9) print "# " prefix suite " took " seconds " s"
	open = 0
	fflush()
}

{ sub(/\r$/, "") }
/^@suite / { begin($2); next }
/^@status / { end($2, $3, $4); next }
/^@finished$/ { finished = 1; next }

open && !/^ok / && !/:PASS$/ { output[++said] = $0 }
/^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0; next }
/^ok / { report("ok", inner substr($0, 4)); next }
/^not ok / { report("not ok", inner substr($0, 8)); next }
/^skip / { report("skip", inner substr($0, 6)); next }
/^[^ ]+:[0-9]+:[A-Za-z0-9_]+:(PASS|FAIL|IGNORE)/ {
	split($0, field, ":")
	verdict = substr(field[4], 1, 4)
	if (verdict == "PASS") report("ok", inner field[3])
	else if (verdict == "FAIL") report("not ok", inner field[3])
	else report("skip", inner field[3] " " field[5])
}

END {
	if (open) end(125, 0, 0)
	if (!finished) report("not ok", "all (the run stopped before its end)")
}
