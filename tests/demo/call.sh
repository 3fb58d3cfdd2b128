# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # of tests/demo.sh
# What all this stands on: any function of any program can be called.
guest=build/$cpu/demo/libguest.so

build/"$cpu"/demo/sample > "$work/beats" &
pid=$!

beats() { tail -n 1 "$work/beats" | cut -d' ' -f1; }
# longest FROM: the longest pause in the lines behind that one, in microseconds
longest() { tail -n +"$(($1 + 1))" "$work/beats" | sort -k2n | tail -n 1 | cut -d' ' -f2; }
lines() { wc -l < "$work/beats"; }

# reported ADDRESS: does it lie in an arena (64 MiB, so aligned) that roclatch has reported as kept?
reported() {
	while read -r arena; do
		[ $((0x$1 >> 26)) != $((arena >> 26)) ] || return 0
	done < "$work/arenas"
	return 1
}

# look NAME: what the kernel says of the sample, into a file of that name.
look() {
	{
		while read -r range access _ _ _ path; do
			reported "${range%-*}" || echo "$range $access $path"
		done < "/proc/$pid/maps"
		ls "/proc/$pid/task" "/proc/$pid/fd"
		for task in "/proc/$pid/task/"*; do
			grep -hE '^(TracerPid|Sig(Blk|Ign|Cgt)):' "$task/status"
		done
	} > "$work/$1"
}

# answers ANSWER ARG...: what roclatch prints is this.
answers() {
	wanted=$1
	shift
	show "$@"
	claim "the answer is $wanted" [ "$(cat "$work/out")" = "$wanted" ]
}

sleep 1.1
headline "7. Under it all: functions are called in any program; this one, pid $pid, has four heartbeats a millisecond apart"
quiet=$(longest 0) from=$(lines) first=$(beats)
: > "$work/arenas"
look before
answers 42 call "$pid" exe sample_multiply 6 7
show inject "$pid" "$guest"
answers 42 call "$pid" libguest.so guest_answer
show eject "$pid" "$guest"
look after
claim "mappings, threads, files, signals as before, except malloc arenas that were reported: $(wc -l < "$work/arenas")" \
	cmp -s "$work/before" "$work/after"
diff "$work/before" "$work/after" | sed 's/^/        /'
sleep 0.5
claim "its heart went on: $(($(beats) - first)) beats since" [ "$(beats)" -gt "$first" ]
echo "   longest pause of a thread meanwhile: $(longest "$from") us (before: $quiet us)"
kill "$pid"
