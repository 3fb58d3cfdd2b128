# SPDX-License-Identifier: MIT
# roclatch convert: names, statuses, streams, and that nothing is written over.
. tests/lab/check.sh
scratch
cpu=$(uname -m)
roclatch=$PWD/build/$cpu/roclatch
make_log=$PWD/build/$cpu/tests/make_log

# run STATUS ARG...
run() {
	wanted=$1
	shift
	said "$wanted" "$roclatch" convert "$@"
}
made() { there "$folder" "$@"; }
# fresh [KIND]: a log run.rlog in an empty folder
fresh() { rm -rf "${folder:?}"/*; "$make_log" "$folder/run.rlog" "$@"; }

default_is_a_database() {
	fresh && run 0 "$folder/run.rlog" && made run_results.db run.rlog && out_says "$folder/run_results.db" && err_says '31 records' &&
		[ "$(wc -l < "$folder/said.out")" = 1 ]
}
every_format() {
	fresh && run 0 "$folder/run.rlog" -f csv,json -f pftrace,rocpd,html &&
		made run_kernel_trace.csv run_agent_info.csv run_results.json run_results.pftrace run_results.db run_results.html
}
nothing_is_written_over() {
	fresh && run 0 "$folder/run.rlog" -f csv && cp -R "$folder" "$folder.first" || return 1
	run 0 "$folder/run.rlog" -f csv,json && made run_1_kernel_trace.csv run_1_results.json || return 1
	run 0 "$folder/run.rlog" -f json && made run_results.json || return 1
	run 0 "$folder/run.rlog" -f csv && made run_2_kernel_trace.csv || return 1
	for file in "$folder.first"/*.csv; do cmp "$file" "$folder/${file##*/}" || return 1; done
	rm -rf "$folder.first"
}
keys_are_filled_in() {
	fresh && run 0 "$folder/run.rlog" -f json -d "$folder/%hostname%/{pid}" -o '%tag%-%env{CONVERT_TEST}%' &&
		made node17/4711/solver-mine_results.json
}
several_get_their_names() {
	fresh && "$make_log" "$folder/other.rlog" && run 0 "$folder/run.rlog" "$folder/other.rlog" -f json &&
		made run_results.json other_results.json || return 1
	run 0 "$folder/run.rlog" "$folder/other.rlog" -f json -o same && made same_results.json same_1_results.json
}
an_open_log_is_whole() { fresh open && run 0 "$folder/run.rlog" -f json && err_says 'was not closed' && made run_results.json; }
a_torn_log_is_told() { fresh torn 300 && run 7 "$folder/run.rlog" -f json && err_says 'truncated' && made run_results.json; }
a_damaged_log_is_told() { fresh damaged 3000 && run 7 "$folder/run.rlog" -f csv && err_says 'damaged' && made run_hip_api_trace.csv; }
a_full_disk_is_told() { fresh full && run 0 "$folder/run.rlog" -f json && err_says 'the disk is full' && err_says '17 records were lost'; }
what_is_missing_is_told() {
	fresh short && run 7 "$folder/run.rlog" -f json && err_says '5 records are not there that should be' && made run_results.json || return 1
	run 7 "$folder/run.rlog" -f csv --json && silent err && out_says '"missing":5,' && out_says '"status":7'
}
what_was_not_recorded_is_told() {
	fresh noted && run 0 "$folder/run.rlog" -f json && err_says 'note: SQ_WAVES is not counted: no GPU here has?[2J such a counter' || return 1
	run 0 "$folder/run.rlog" -f csv --json && silent err && out_says '"SQ_WAVES is not counted: no GPU here has?[2J such a counter"]'
}
# A recording comes from somebody else: it does not say where a file is made, and its expressions have bounds.
settings_of_a_recording() {
	fresh ROCPROF_STATS_SUMMARY=1 ROCPROF_STATS_SUMMARY_OUTPUT="$folder/elsewhere/mine" ROCPROF_OUTPUT_FORMAT=csv && mkdir "$folder/elsewhere" &&
		run 0 "$folder/run.rlog" && err_says 'note: ' && made run_mine.txt && [ -z "$(ls "$folder/elsewhere")" ] || return 1
	run 0 "$folder/run.rlog" --summary-output-file "$folder/elsewhere/mine" && made elsewhere/mine
}
groups_of_a_recording() {
	bomb='((((((a{1,255}){1,255}){1,255}){1,255}){1,255}){1,255})'
	fresh ROCPROF_STATS_SUMMARY=1 ROCPROF_STATS_SUMMARY_GROUPS="$bomb##@@##KERNEL_.*" ROCPROF_OUTPUT_FORMAT=csv &&
		run 0 "$folder/run.rlog" && err_says 'is left out' && err_says 'ROCPROFV3 KERNEL_DISPATCH SUMMARY'
}
no_recording() {
	fresh && echo text > "$folder/text" && run 1 "$folder/text" && silent out && err_says 'remedy:' &&
		[ "$(find "$folder" -name 'text*' | wc -l)" = 1 ] && run 1 /dev/null && err_says 'remedy: name the recording: a file that ends with .rlog' &&
		: > "$folder/empty.rlog" && run 1 "$folder/empty.rlog" && err_says 'remedy: the recording did not begin' &&
		run 0 "$folder/run.rlog" -f rocpd -o cut && head -c 3000 "$folder/cut_results.db" > "$folder/cut.db" && run 1 "$folder/cut.db" && err_says 'remedy: take it from'
}
one_of_two_fails() { fresh && run 1 "$folder/nothing.rlog" "$folder/run.rlog" -f json && made run_results.json && err_says '1 of 2 recordings'; }
json_report() {
	fresh && run 0 "$folder/run.rlog" -f json --json && silent err &&
		grep -Eqx '\{"command":"convert","inputs":\[\{.*"records":31,"events":\{"hip_api":5,.*"bytes":[0-9]+\}\],"error":null\}\],"error":null,"verdict":"done","status":0\}' "$folder/said.out"
}
json_of_damage() { fresh damaged 3000 && run 7 "$folder/run.rlog" -f json --json && silent err && out_says '"damage":"' && out_says '"status":7'; }
a_database_becomes_a_page() {
	fresh && run 0 "$folder/run.rlog" -f rocpd && run 0 "$folder/run_results.db" && made run_results.html
}
a_database_becomes_tables() {
	fresh && run 0 "$folder/run.rlog" -f rocpd,csv && run 0 "$folder/run_results.db" -f csv -o again &&
		cmp "$folder/run_kernel_trace.csv" "$folder/again_kernel_trace.csv" && cmp "$folder/run_hip_api_trace.csv" "$folder/again_hip_api_trace.csv"
}
summary_goes_where_it_is_told() {
	fresh && run 0 "$folder/run.rlog" -f json -S -u usec && err_says 'ROCPROFV3 SUMMARY' || return 1
	run 0 "$folder/run.rlog" -f json -S --summary-output-file stdout && out_says 'ROCPROFV3 SUMMARY' || return 1
	run 0 "$folder/run.rlog" -f json -S -o summed --summary-output-file mine && grep -q 'ROCPROFV3 SUMMARY' "$folder/summed_mine.txt" &&
		! err_says 'ROCPROFV3 SUMMARY'
}
# As two processes that are attached at once have one, or a second run.
summary_is_there_already() {
	fresh || return 1
	for name in sum.txt mine; do
		run 0 "$folder/run.rlog" -f csv -S --summary-output-file "$folder/$name" && cp "$folder/$name" "$folder/$name.first" &&
			run 0 "$folder/run.rlog" -f csv -S --summary-output-file "$folder/$name" && cmp "$folder/$name" "$folder/$name.first" || return 1
	done
	made sum_1.txt mine_1 run_3_agent_info.csv && [ ! -e "$folder/run_4_agent_info.csv" ]
}
wrong_words() {
	fresh && run 2 "$folder/run.rlog" -f pdf && err_says 'remedy:' && run 2 "$folder/run.rlog" -f otf2 && run 2 "$folder/run.rlog" -u days &&
		run 2 "$folder/run.rlog" -A upside-down && [ "$(find "$folder" -name 'run_*' | wc -l)" = 0 ]
}
# What cannot be finished is removed, and the log is not touched.
disk_full() {
	fresh many 200000 && (ulimit -f 2000; run 1 "$folder/run.rlog" -f csv,json) || return 1
	[ "$(find "$folder" -name 'run_*' | wc -l)" = 0 ] && [ -s "$folder/run.rlog" ]
}
interrupted() {
	fresh many 400000 || return 1
	timeout -s INT 1 "$roclatch" convert "$folder/run.rlog" -f json,csv,pftrace,html,rocpd > "$folder/said.out" 2>&1 && return 0   # it was faster
	cat "$folder/said.out"
	[ "$(find "$folder" -name 'run_*' | wc -l)" = 0 ]
}
# A signal between two of many: those behind it are not done.
stopped_between_two() {
	fresh || return 1
	set --
	while [ $# -lt 3000 ]; do set -- "$@" "$folder/run.rlog"; done
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rm -f "$folder"/run_*
		timeout -s TERM --preserve-status 0.1 "$roclatch" convert "$@" -f csv > "$folder/said.out" 2>&1 && got=0 || got=$?
		[ "$got" = 143 ] || { echo "status $got"; return 1; }
	done
}
# A conversion that is killed leaves whole files beside .partial ones, and the next one works.  JSON has the folder's name in it.
killed() {
	fresh many 100000 && cp "$folder/run.rlog" "$folder/kept" && mkdir "$folder/whole" &&
		run 0 "$folder/run.rlog" -f csv,json,pftrace,html && mv "$folder"/run_* "$folder/whole/" || return 1
	cut=0
	for after in 0.05 0.15 0.3 0.6; do
		rm -f "$folder"/run_*
		timeout -s KILL "$after" "$roclatch" convert "$folder/run.rlog" -f csv,json,pftrace,html > "$folder/said.out" 2>&1 || cut=$((cut + 1))
		for file in "$folder"/run_*; do
			case $file in *'*'|*.partial) continue ;; esac
			cmp "$file" "$folder/whole/${file##*/}" || return 1
		done
		cmp "$folder/run.rlog" "$folder/kept" || return 1
		sums=$(cksum "$folder"/run_* 2> /dev/null)
		run 0 "$folder/run.rlog" -f csv -o again && [ "$sums" = "$(cksum "$folder"/run_* 2> /dev/null)" ] || return 1
		run 0 "$folder/run.rlog" -f csv,json,pftrace,html || return 1
		echo "$sums" | while read -r sum size file; do
			case $file in ''|*.partial) continue ;; esac
			[ "$(cksum < "$file")" = "$sum $size" ] || exit 1
		done || return 1
		rm -f "$folder"/again*
	done
	[ "$cut" -gt 0 ]
}
# What it leaves takes no name from the next one; another that is at work does.
left() {
	fresh && for ending in db json html pftrace; do echo half > "$folder/run_results.$ending.partial"; done &&
		run 0 "$folder/run.rlog" -f rocpd,json,html,pftrace && there "$folder" run_results.db run_results.json run_results.html run_results.pftrace &&
		[ "$(find "$folder" -name '*.partial' -o -name 'run_1*' | wc -l)" = 0 ] || return 1
	fresh && echo half > "$folder/run_results.json.partial" && ( flock -n 9 && run 0 "$folder/run.rlog" -f json ) 9< "$folder/run_results.json.partial" &&
		there "$folder" run_1_results.json && [ "$(cat "$folder/run_results.json.partial")" = half ] && [ ! -e "$folder/run_results.json" ]
}

export CONVERT_TEST=mine
check "a log becomes a rocpd database unless other formats are asked for" default_is_a_database
check "every format is made" every_format
check "nothing is ever written over" nothing_is_written_over
check "keys in names are filled in from the log" keys_are_filled_in
check "several logs get names of their own" several_get_their_names
check "a log that was not closed is converted, and that is told" an_open_log_is_whole
check "a log that ends in a block is converted up to there, with status 7" a_torn_log_is_told
check "a log that is damaged is converted up to there, with status 7" a_damaged_log_is_told
check "why a recording stopped early is told" a_full_disk_is_told
check "records that are missing are told, with status 7" what_is_missing_is_told
check "what was not recorded is told, and moves no cursor" what_was_not_recorded_is_told
check "a recording does not say where its summary is written" settings_of_a_recording
check "a recording brings no expression without bounds" groups_of_a_recording
check "what is no recording is refused" no_recording
check "one that fails does not keep the others from being converted" one_of_two_fails
check "the report as JSON has the counts and the files" json_report
check "the report as JSON tells damage" json_of_damage
check "a database becomes a page" a_database_becomes_a_page
check "a database becomes the same tables as its log" a_database_becomes_tables
check "the summary goes to stderr, stdout or a file" summary_goes_where_it_is_told
check "a summary's absolute path that is there already gets a number" summary_is_there_already
check "words that are wrong are refused before anything is written" wrong_words
check "what a full disk leaves unfinished is removed" disk_full
check "what Ctrl-C leaves unfinished is removed" interrupted
check "a signal between two of many recordings is told by the status" stopped_between_two
check "a conversion that is killed leaves nothing half under a name of its own" killed
check "what a conversion that was killed left takes no name from the next one" left
