# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# What is done to each process: calls, inject and eject, kills of roclatch, and a look at /proc before and after.

# regions PID: how many mappings roclatch has left there: with its header, or large and blank
regions() {
	local from to rest count=0
	while IFS='- ' read -r from to rest; do
		case $(dd if="/proc/$1/mem" bs=4096 count=1 skip=$((0x$from / 4096)) 2> /dev/null | head -c 15 | tr '\0' 0) in
		'roclatch region') count=$((count + 1)) ;;
		000000000000000) [ $((0x$to - 0x$from)) -lt 8000000 ] || count=$((count + 1)) ;;
		esac
	done < <(grep ' r-xp 00000000 00:00 0 *$' "/proc/$1/maps")
	echo $count
}

# look PID: threads, descriptors, mappings, those that are ours, resident KiB
look() {
	local threads fds maps ours rss
	threads=$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l)
	fds=$(find "/proc/$1/fd" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l)
	maps=$(wc -l < "/proc/$1/maps")
	ours=$(regions "$1")
	rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status")
	echo "$threads $fds $maps $ours $rss"
}

# grown BEFORE AFTER: what is more than before and more than may be
grown() {
	awk -v may="$slack_threads $slack_fds $slack_maps 0 $slack_rss" -v before="$1" -v after="$2" 'BEGIN {
		split("threads fds maps regions RSS", name); split(may, m); split(before, b); split(after, a)
		for (i = 1; i <= 5; i++)
			if (a[i] > b[i] + m[i]) printf "%s %d to %d; ", name[i], b[i], a[i]
	}'
}

# settle PID BEFORE: wait until nothing is more than before, and say what still is
settle() {
	local i more=
	for ((i = 0; i < 20; i++)); do
		more=$(grown "$2" "$(look "$1")")
		[ "$more" ] || return 0
		sleep 0.25
	done
	echo "$more"
}

load_on() {
	load_pid=
	if declare -F load > /dev/null; then
		load > "$dir/load.out" 2>&1 &
		load_pid=$!
	fi
	sleep 1
}

load_off() {
	if [ "$load_pid" ]; then
		kill "$load_pid" && wait "$load_pid"
	fi 2> /dev/null
	load_pid=
	sleep 0.5
}

# expected SYMBOL PID: what it has to return, or nothing
expected() {
	case $1 in
	getpid) awk '/^NSpid/ { print $NF }' "/proc/$2/status" ;;
	strlen) echo 5 ;;
	malloc_usable_size) echo 0 ;;
	esac
}

# once STEM ARG...: run roclatch; status and JSON go to STEM.json; returns the status
once() {
	local stem=$1 rc=0 answer
	shift
	answer=$("$roclatch" "$@" --json --timeout-msec "$TIMEOUT_MSEC" 2> /dev/null) || rc=$?
	printf '%s\n' "$answer" >> "$stem.json"
	[ $rc = 0 ] || echo "roclatch $*: $answer" >> "$stem.bad"
	return $rc
}

calls=(getpid 'time 0' 'strlen hello' 'malloc_usable_size 0')

# call_many STEM PID ON: each of the functions in turn
call_many() {
	local stem=$1 pid=$2 on=$3 i call result want
	for ((i = 0; i < CALLS; i++)); do
		read -ra call <<< "${calls[i % 4]}"
		once "$stem" call "$pid" libc "${call[@]}" --on "$on" || continue
		want=$(expected "${call[0]}" "$pid")
		result=$(tail -n 1 "$stem.json" | sed 's/.*"result":\(-\{0,1\}[0-9]*\).*/\1/')
		[ -z "$want" ] || [ "$result" = "$want" ] ||
			echo "${call[*]} returned $result, not $want" >> "$stem.bad"
	done
}

inject_many() {
	local stem=$1 pid=$2 on=$3 i
	for ((i = 0; i < INJECTS; i++)); do
		once "$stem" inject "$pid" "$probe" --on "$on" || continue
		once "$stem" eject "$pid" "$probe" --on "$on" || true
	done
}

# kill_many PID USECONDS: SIGKILL at a random moment of a run that takes about so long
kill_many() {
	local i delay never
	local run=("call $1 libc getpid" "call $1 libc strlen hello --on borrowed" "inject $1 $probe")
	exec {never}<> <(:)
	for ((i = 0; i < KILLS; i++)); do
		# shellcheck disable=SC2086 # words
		"$roclatch" ${run[i % 3]} > /dev/null 2>&1 &
		printf -v delay '0.%06d' $(((RANDOM * 32768 + RANDOM) % ($2 + $2 / 4)))
		read -rt "$delay" -u "$never" || true
		kill -9 $! 2> /dev/null || true
		wait $! 2> /dev/null || true
	done
	exec {never}>&-
}

# at_once STEM PID: three roclatch at a time; one may say that another has the process, but none may harm it
at_once() {
	local n i runs=()
	for n in 1 2 3; do
		(for ((i = 0; i < TOGETHER; i++)); do
			"$roclatch" call "$2" libc getpid --json --timeout-msec "$TIMEOUT_MSEC" 2> /dev/null
		done) > "$1.once.$n" &
		runs+=($!)
	done
	wait "${runs[@]}"
	grep -hvE '"status":(0|3)}$' "$1".once.? >> "$1.bad"
}

# eject_all STEM PID: undo the injections whose roclatch was killed
eject_all() {
	local i
	for ((i = 0; i < KILLS; i++)); do
		"$roclatch" eject "$2" "$probe" > /dev/null 2>&1 || break
	done
	! grep -q "${probe##*/}" "/proc/$2/maps" || echo "the probe is still loaded after $i ejects" >> "$1.bad"
}

# worst FIRST: of the beats from that line on: how many, and the longest
worst() {
	tail -n "+$1" "$dir/beat" 2> /dev/null | awk '$1 > max { max = $1 } END { printf "%d %.1f", NR, max }'
}

beats() {
	if [ -s "$dir/beat" ]; then wc -l < "$dir/beat"; else echo 0; fi
}

# numbers FILE.json: median and longest time of borrowing, ms
numbers() {
	sed -n 's/.*"borrowed_ns":\([0-9]*\).*/\1/p' "$1" 2> /dev/null | sort -n |
		awk '{ v[NR] = $1 / 1e6 } END { if (NR) printf "%.2f/%.1f", v[int((NR + 1) / 2)], v[NR]; else printf "-" }'
}

statuses() {
	sed -n 's/.*"status":\([0-9]*\)}$/\1/p' "$@" 2> /dev/null | sort | uniq -c |
		awk '{ printf "%s%s:%s", n++ ? " " : "", $2, $1 }'
}

say_bad() {
	printf '%s: %s\n' "$1" "$2" >> "$dir/$label.bad"
}

# note_wrong WHEN: what the program or its clients have complained of since the last time
note_wrong() {
	wrong > "$dir/wrong.now" 2>&1 || true
	if [ -s "$dir/wrong.now" ] && ! cmp -s "$dir/wrong.now" "$dir/wrong.then"; then
		say_bad "wrong $1" "$(wc -l < "$dir/wrong.now") lines, last: $(tail -n 1 "$dir/wrong.now")"
	fi
	mv "$dir/wrong.now" "$dir/wrong.then"
}

# refused PID: the answer has to be 3 with a reason and a remedy, and the process unharmed
refused() {
	local answer rc=0
	answer=$("$roclatch" call "$1" libc getpid --json 2> /dev/null) || rc=$?
	printf '%s\n' "$answer" > "$dir/$label.fresh.json"
	[ $rc = 3 ] || say_bad refusal "status $rc: $answer"
	[[ $answer =~ \"remedy\":\"[^\"] ]] || say_bad refusal "no remedy: $answer"
}

# trial LABEL PID: all of it on one process, and a line for the table
trial() {
	label=$1
	local pid=$2 before first base with started usec more on stem=$dir/$1
	: > "$stem.bad"
	killed=
	first=$(($(beats) + 1))
	load_on
	sleep "$BASE_SECONDS"
	base=$(worst "$first")
	if [ "${expect:-}" = refused ]; then
		refused "$pid"
	else
		for on in fresh borrowed fresh borrowed; do
			once "$dir/warm" call "$pid" libc getpid --on "$on" || true
		done
		once "$dir/warm" inject "$pid" "$probe" && once "$dir/warm" eject "$pid" "$probe"
	fi
	load_off
	before=$(look "$pid")

	first=$(($(beats) + 1))
	load_on
	if [ "${expect:-}" != refused ]; then
		for on in fresh borrowed; do
			started=${EPOCHREALTIME/./}
			call_many "$stem.$on" "$pid" "$on"
			usec=$(((${EPOCHREALTIME/./} - started) / CALLS))
			inject_many "$stem.$on" "$pid" "$on"
		done
		at_once "$stem" "$pid"
		note_wrong "during the calls"
		killed=1
		kill_many "$pid" "$usec"
		eject_all "$stem" "$pid"
		sleep 4 # orphans end by themselves; the next call removes what they have left
		once "$stem.last" call "$pid" libc getpid || true
	fi
	with=$(worst "$first")
	first=$(beats)
	sleep 1
	[ "$first" -eq 0 ] || [ "$(beats)" -gt "$first" ] || say_bad work "it no longer works"
	load_off
	if [ -d "/proc/$pid" ]; then
		more=$(settle "$pid" "$before")
		[ -z "$more" ] || say_bad left "$more"
		! grep -qv '^TracerPid:.0$' <(grep -h TracerPid /proc/"$pid"/task/*/status) || say_bad left traced
		! grep -q '^State:.[tT]' /proc/"$pid"/task/*/status || say_bad left stopped
	else
		say_bad died "the process has ended"
	fi
	note_wrong "during and after the kills"
	report "$base" "$with"
}

report() {
	local stem=$dir/$label bad
	bad=$(cat "$stem".bad "$stem".*.bad 2> /dev/null | wc -l)
	cat "$stem".bad "$stem".*.bad 2> /dev/null | head -n 5 | cut -c 1-400 | sed 's/^/# /'
	if [ "$bad" = 0 ]; then echo "ok $label"; else echo "not ok $label"; fi
	printf '%s|%s|%s|%s|%s|%s|%s\n' "$label" "$(statuses "$stem.fresh.json") / $(statuses "$stem.borrowed.json")" \
		"$(numbers "$stem.fresh.json")" "$(numbers "$stem.borrowed.json")" "${1#* } (${1% *})" "${2#* } (${2% *})" "$bad" \
		>> "$table"
}
