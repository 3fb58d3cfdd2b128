# SPDX-License-Identifier: MIT
# What gcov -b -f says of sources, as tables: lines and branches of each, the sums of the rooms, functions never run, and run in part.
function share(of, part) { return of ? sprintf("%.1f", 100 * part / of) : "-" }
function room(source,   parts, n) {
	n = split(source, parts, "/")
	return n > 2 && parts[1] != "arch" ? parts[1] "/" parts[2] : parts[1]
}
function row(name, l, hit, b, taken) {
	printf "| %s | %d | %d | %s | %d | %s |\n", name, l, hit, share(l, hit), b, share(b, taken)
}

/^@source / { source = $2; sources[++n] = source; kind = ""; next }
/^Function '/ { kind = "function"; name = $0; gsub(/^Function '|'.*$/, "", name); next }
/^File '/ { kind = index($0, "'" source "'") ? "file" : ""; next }
/^$/ { kind = ""; next }
/^Lines executed:/ {
	split($0, f, /[:% ]+/)
	missed = f[5] - int(f[3] * f[5] / 100 + 0.5)
	if (kind == "function" && missed == f[5]) never[source] = never[source] " `" name "`"
	else if (kind == "function" && missed) partly[source] = partly[source] " `" name "` " missed
	if (kind == "file") { lines[source] = f[5]; covered[source] = int(f[3] * f[5] / 100 + 0.5) }
}
/^Taken at least once:/ && kind == "file" {
	split($0, f, /[:% ]+/)
	branches[source] = f[7]; taken[source] = int(f[5] * f[7] / 100 + 0.5)
}
END {
	print "| file | lines | covered | % | branches | taken % |\n|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		s = sources[i]; r = room(s)
		if (!(r in known)) { known[r] = 1; rooms[++m] = r }
		row("`" s "`", lines[s], covered[s], branches[s], taken[s])
		L[r] += lines[s]; C[r] += covered[s]; B[r] += branches[s]; T[r] += taken[s]
		l += lines[s]; c += covered[s]; b += branches[s]; t += taken[s]
	}
	for (i = 1; i <= m; i++) { r = rooms[i]; row("**" r "**", L[r], C[r], B[r], T[r]) }
	row("**all**", l, c, b, t)
	print "\nFunctions that no test runs:\n"
	for (i = 1; i <= n; i++) if (never[sources[i]]) { print "- `" sources[i] "`:" never[sources[i]]; some = 1 }
	if (!some) print "none."
	print "\nFunctions of which some lines are not run, and how many:\n"
	for (i = 1; i <= n; i++) if (partly[sources[i]]) print "- `" sources[i] "`:" partly[sources[i]]
}
