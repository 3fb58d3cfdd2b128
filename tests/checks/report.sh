# SPDX-License-Identifier: MIT
# roclatch report: statuses, streams, files, memory that does not grow with the ranks, and the page in a browser.
. tests/lab/check.sh
scratch
cpu=$(uname -m)
roclatch=$PWD/build/$cpu/roclatch
make_job=$PWD/build/$cpu/tests/make_job
make_log=$PWD/build/$cpu/tests/make_log

# run STATUS ARG...
run() {
	wanted=$1
	shift
	said "$wanted" "$roclatch" report "$@"
}
made() { there "$folder/job" "$@"; }
# fresh RANKS [NAME=NUMBER...]: a job in an empty folder
fresh() { rm -rf "${folder:?}/job"; mkdir "$folder/job" && "$make_job" "$folder/job" "$@"; }
asks() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$folder/job/$1" "$2"; }
says_json() { python3 -c 'import json, sys; o = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), o' "$folder/said.out" "$1"; }

whole() {
	fresh 12 slow=5 && run 0 "$folder/job" && made report_results.db report_results.html report_results.txt &&
		out_says 'rank 5 on n1 is slow: its kernels took 1.9 times the median' && [ "$(asks report_results.db 'SELECT count(*) FROM kernels')" = 240 ]
}
again() { run 0 "$folder/job" -f rocpd && made report_1_results.db && run 0 "$folder/job" -o /"$folder"/job/named -f text && made named_results.txt; }
missing() { fresh 12 without=3 && run 7 "$folder/job" && err_says '1 of 12 ranks left no status: 3' && made report_results.db; }
failed() { fresh 12 failed=3 && run 7 "$folder/job" && err_says 'rank 3 on n1 failed with status 3: this process has no ROCm in it'; }
expected() { fresh 4 && run 7 "$folder/job" --expect 6 && err_says '2 of 6 ranks left no status: 4-5' && run 0 "$folder/job" --expect 4; }
ahead() { fresh 24 ahead=60 && run 7 "$folder/job" && err_says 'the wall clock of n3 is 60.000 s ahead of that of the others'; }
damaged() {
	fresh 4 && head -c 100000 "$folder/job/n1-1002_results.db" > "$folder/cut" && cp "$folder/cut" "$folder/job/n1-1002_results.db" &&
		run 7 "$folder/job" && err_says 'n1-1002_results.db of rank 2 on n1 has 100000 bytes' && err_says 'a database of rank 2 on n1 is' &&
		[ "$(asks report_results.db 'SELECT count(DISTINCT pid) FROM kernels')" -ge 3 ]
}
nothing() { mkdir "$folder/none" && run 3 "$folder/none" && err_says 'holds no status' && [ -z "$(ls "$folder/none")" ]; }
nowhere() { run 1 "$folder/not-there" && err_says 'cannot look into'; }
usage() { run 2 && run 2 a b && run 2 "$folder/job" -f csv && err_says "'csv' is none of rocpd, html, text" && run 2 "$folder/job" --expect 0; }
json() {
	fresh 12 slow=5 failed=3 && run 7 "$folder/job" --json &&
		says_json 'o["slow"] == 1 and o["ranks"][5]["slow"] and o["measure"] == "kernels" and len(o["ranks"]) == 12 and len(o["files"]) == 3' &&
		says_json 'o["failed"] == 1 and o["ranks"][3]["why"] == "this process has no ROCm in it" and len(o["problems"]) == 1' &&
		says_json 'o["ranks"][5]["kernel_ns"] == 38000000 and o["ranks"][8]["moved_ns"] == -3600 * 10**9 and o["ranks"][0]["busiest"] == "gemm"'
}
converts() {
	fresh 12 && run 0 "$folder/job" && "$roclatch" convert -f csv -o merged "$folder/job/report_results.db" &&
		[ "$(wc -l < "$folder/job/merged_kernel_trace.csv")" = 241 ]
}
# What a report that was killed left of its files is in nobody's way.
killed() {
	fresh 4 && for ending in db html txt; do echo half > "$folder/job/report_results.$ending.partial"; done && run 0 "$folder/job" &&
		made report_results.db report_results.html report_results.txt && ! ls "$folder"/job/*.partial && [ "$(asks report_results.db 'SELECT count(*) FROM kernels')" = 80 ]
}
# A file that cannot be made: a folder has its name.
unwritten() {
	fresh 4 && mkdir "$folder/job/report_results.html.partial" && run 7 "$folder/job" && made report_results.db report_results.txt &&
		err_says "wrote $folder/job/report_results.db" && err_says "wrote $folder/job/report_results.txt" && out_says 'rank' &&
		err_says "1 of 3 files could not be written: cannot make $folder/job/report_results.html, as there is $folder/job/report_results.html.partial: File exists" &&
		mkdir "$folder/job/other_results.html.partial" && run 7 "$folder/job" -o other --json &&
		says_json '[f.rsplit("/")[-1] for f in o["files"]] == ["other_results.db", "other_results.txt"] and len(o["not_written"]) == 1 and o["status"] == 7'
}
# A file that may not grow that far: the smaller one is made; where none is, that is a failure.
too_large() {
	fresh 4 && (ulimit -f 64 && run 7 "$folder/job" -f html,text && made report_results.txt && err_says "wrote $folder/job/report_results.txt") &&
		err_says '1 of 2 files could not be written' && [ ! -e "$folder/job/report_results.html" ] &&
		(ulimit -f 64 && run 1 "$folder/job" -f html -o other) && err_says '1 of 1 files could not be written' && [ ! -e "$folder/job/other_results.html" ] && [ ! -e "$folder/job/other_results.html.partial" ]
}
untold() { fresh 4 && status 7 "$roclatch" report "$folder/job" -f text > /dev/full 2> "$folder/said.err" && err_says "wrote $folder/job/report_results.txt" && err_says 'stdout'; }
# Two recordings of everything that there is: every table has the rows of both, and each view shows them.
everything() {
	rm -rf "${folder:?}/job" && mkdir "$folder/job" || return 1
	for rank in 0 1; do
		"$make_log" "$folder/run.rlog" many $((100 + rank * 50)) && "$roclatch" convert -f rocpd -d "$folder/job" -o "r$rank" "$folder/run.rlog" || return 1
		printf '{"format":1,"host":"n%s","pid":%s,"rank":%s,"ranks":2,"status":0,"attached":true,"files":[{"name":"r%s_results.db","size":%s}]}' \
			$rank $((rank + 5)) $rank $rank "$(stat -c %s "$folder/job/r${rank}_results.db")" > "$folder/job/n$rank.roclatch.json"
	done
	run 7 "$folder/job" && err_says 'n1 did not tell its clocks' && python3 - "$folder/job" <<-'END'
	import sqlite3, sys
	open_one = lambda name: sqlite3.connect(sys.argv[1] + "/" + name + "_results.db")
	one, two, both = open_one("r0"), open_one("r1"), open_one("report")
	count = lambda db, view: db.execute("SELECT count(*) FROM " + view).fetchone()[0]
	views = [row[0] for row in both.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
	once = ("rocpd_string", "rocpd_info_node", "rocpd_metadata", "top", "top_kernels")
	for view in views:
	    print(view, count(one, view), count(two, view), count(both, view))
	    assert view in once or count(both, view) == count(one, view) + count(two, view), view
	assert len(views) > 35 and count(both, "counters_collection") and count(both, "memory_allocations") and count(both, "samples")
	assert both.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and not both.execute("PRAGMA foreign_key_check").fetchall()
	END
}
hostile() {
	fresh 2 && printf '{"format":1,"host":"\\u001b[2J\\u009b","pid":9,"status":5,"why":"\\u001b]0;x\\u0007","rank":2,"files":[{"name":"../x.db","size":1}]}' \
		> "$folder/job/x-9.roclatch.json" && sed 's/\.\.\/x/x/' "$folder/job/x-9.roclatch.json" > "$folder/job/y-9.roclatch.json" && mkfifo "$folder/job/x.db" \
		"$folder/job/z-9.roclatch.json" && run 7 "$folder/job" && err_says 'no name below the folder' && err_says '\x1b]0;x\x07' || return 1
	! LC_ALL=C grep -q "$(printf '[\033\007\233]')" "$folder/said.out" "$folder/said.err" "$folder/job/report_results.txt"
}
# peak COMMAND...: KiB that it had at most
peak() { python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
# With the database's cache of 32 MiB full in both, three times the ranks take next to nothing more.
bounded() {
	fresh 50 slow=7 steps=2000 && few=$(peak "$roclatch" report -f rocpd,text "$folder/job") &&
		fresh 150 slow=7 steps=2000 && many=$(peak "$roclatch" report -f rocpd,text "$folder/job") || return 1
	echo "$few KiB for 50 ranks, $many KiB for 150"
	grep -q 'rank 7 on n1 is slow' "$folder/job/report_results.txt" && [ "$many" -lt $((few + few / 5)) ] && [ "$many" -lt 65536 ]
}
page() { fresh 60 slow=5 && run 0 "$folder/job" -f html && made report_results.html; }
outside() { grep -aE 'https?://|//[a-z0-9-]+\.[a-z]|@import|url\(' "$folder/job/report_results.html"; }

check "a whole job is merged, and its slow rank named" whole
check "nothing is written over, and files are called as asked" again
check "a rank that left nothing is named, the others are merged, status 7" missing
check "a rank that failed is named with its reason, status 7" failed
check "how many ranks there must be can be said" expected
check "a host with a wrong clock is told" ahead
check "a damaged database is told and the others are merged, status 7" damaged
check "a folder without statuses is refused with status 3 and stays as it is" nothing
check "a folder that is not there fails with status 1" nowhere
check "a wrong command line has status 2" usage
check "JSON tells of every rank" json
check "the merged database can be converted" converts
check "what a report that was killed left takes no name from the next one" killed
check "if a file cannot be written, the others are and all is told, status 7" unwritten
check "the same where a file may not grow; status 1 if none was written" too_large
check "what was written is told also if stdout takes nothing, status 7" untold
check "databases with everything in them are merged with all their rows" everything
check "what others put into the folder leads nowhere and moves no cursor" hostile
check "memory does not grow with the ranks" bounded
check "a page of 60 ranks is written" page
check "the page names nothing outside of itself" denies outside
python3 tests/checks/report_page.py "$folder/job" || echo "not ok the browser was driven to the end"
