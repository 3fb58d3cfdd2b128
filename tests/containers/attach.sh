# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # sourced by run.sh; $RECORD and $tool are options
# Attachments, and what they leave.

# try SENTENCE COMMAND...: a test, if it is among those that are wanted.
try() { if [ -z "${ONLY-}" ] || echo "$1" | grep -qE "$ONLY"; then check "$@"; fi; }

tool="-t roclatch"
# record_into FOLDER: as the process sees it.
record_into() { into=$1 RECORD="--hip-trace -d $1 -o out -f csv --attach-duration-msec 200"; }
record_into /out

# look NAME: what the kernel shows of process $pid.
look() {
	ls "/proc/$pid/task" > "$work/$1.threads"
	ls "/proc/$pid/fd" > "$work/$1.files"
	awk '$2 ~ /x/ { print $2, $6 }' "/proc/$pid/maps" | sort > "$work/$1.code"
	awk '$2 ~ /w.*x/' "/proc/$pid/maps" > "$work/$1.both"
	grep -hE '^(TracerPid|Sig(Blk|Ign|Cgt)):' "/proc/$pid/task/"*/status > "$work/$1.state"
}

switches() { awk '/^voluntary/ { n += $2 } END { print n + 0 }' "/proc/$pid/task/"*/status; }
goes_on() { [ "$(switches)" -gt "$1" ]; }

same() {
	cmp -s "$work/before.$1" "$work/after.$1" && return 0
	echo "its $1 changed:"
	diff "$work/before.$1" "$work/after.$1"
	return 1
}

# runs_on: nobody traces it, no memory is both written and run, and it works.
runs_on() {
	! grep '^TracerPid' "$work/after.state" | grep -v '[[:space:]]0$' || return 1
	await goes_on "$(switches)" || { echo "it does not go on"; return 1; }
}

# untouched: nothing has changed since `look before`.
untouched() {
	look after
	for what in threads files code both state; do same $what || return 1; done
	runs_on
}

# unharmed: a tool was loaded for the first time, which stays loaded, and a thread of the SDK with it; all else is as before.
unharmed() {
	look after
	sed -i -E '/librocprofiler-sdk\.so|libroclatch-tool/d' "$work/before.code" "$work/after.code"
	for what in files code both; do same $what || return 1; done
	lost=$(grep -vxFf "$work/after.threads" "$work/before.threads")
	[ -z "$lost" ] || { echo "threads are gone: $lost"; return 1; }
	more=$(($(wc -l < "$work/after.threads") - $(wc -l < "$work/before.threads")))
	[ "$more" -le 1 ] || { echo "$more threads more than before"; return 1; }
	runs_on
}

# fetched FOLDER: there is one copy of the table below it, and it is whole.
fetched() {
	copy=$(find "$1" -name out_hip_api_trace.csv)
	cmp "$copy" "$out/out_hip_api_trace.csv" || { echo "fetched: $copy"; return 1; }
	rm -r "$(dirname "$copy")"
}

# recorded: calls of HIP were seen and written where the process was to, and nothing but tables is left.
recorded() {
	out=/proc/$pid/root$into
	rows=$(wc -l < "$out/out_hip_api_trace.csv") || return 1
	[ "$rows" -gt 10 ] || { echo "only $rows lines in the table"; return 1; }
	[ ! -e "$out/out.rlog" ] || { echo "the log was left"; return 1; }
	[ -z "$fetched" ] || fetched "$fetched" || return 1
	rm -f "$out/"*
	for left in "/proc/$pid/root/tmp/".roclatch*; do [ ! -e "$left" ] || { echo "$left was left"; return 1; }; done
}

# on_host WORD...: roclatch here.
on_host() { (cd "$work/here" && exec "$roclatch" "$@" </dev/null); }
# in_container NAME [OPTION...] -- WORD...: roclatch in that container.
in_container() {
	name=$1 options=''
	shift
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	# shellcheck disable=SC2086 # options
	runc_ exec $options "$name" /bin/roclatch "$@" <> "$work/never"
}

# beside WORD...: roclatch in a container of its own, by what is set then.
beside() { set_command /roclatch "$@"; run side; }
# with_side CASE...: what is set by then is that of a sidecar of process $pid, whose container is there.
with_side() {
	shared_pids=/proc/$pid/ns/pid image=scratch binds="$work/results:/results:rw"
	"$@"
}

# says STATUS PATTERN COMMAND...: it ends with this status, and says that.
says() {
	wanted=$1 pattern=$2
	shift 2
	status "$wanted" "$@" > "$work/answer" 2>&1 && answer=0 || answer=1
	cat "$work/answer"
	[ "$answer" = 0 ] || return 1
	says_too "$pattern"
}
says_too() { grep -qE -e "$1" "$work/answer" || { echo "does not say: $1"; return 1; }; }

# harm: what is to be so after an attachment: all is as it was; or, if it is the first, but for what stays loaded.
harm() { if grep -q libroclatch-tool "/proc/$pid/maps"; then echo untouched; else echo unharmed; fi; }
attaches_once() {
	case $1 in
	on_host | as_user) fetched=$work/here ;;
	beside) fetched=$work/results ;;
	*) fetched='' ;;
	esac
	[ "$into" = /out ] || fetched=''        # it has our root, as one has that is inside
	harm=$(harm)
	look before
	says 0 'verified: not traced' "$@" && $harm && recorded
}
# attaches COMMAND...: for the first time, and again.
attaches() { attaches_once "$@" && attaches_once "$@"; }

# refuses PATTERN REMEDY COMMAND...: status 3, and the process is as it was.
refuses() {
	reason=$1 remedy=$2
	shift 2
	look before
	says 3 "$reason" "$@" && says_too "remedy: .*$remedy" && untouched
}

# fresh: nothing is there of a case before.
fresh() { rm -rf "$work/here/"* "$work/app/out/"* "$work/results/"*; }

# in_app CASE...: the case beside a container with the program, by what is set now; the container is gone afterwards.
in_app() {
	fresh
	start app && "$@" && answered=0 || answered=1
	stop app
	return "$answered"
}

# as_user USER COMMAND...: without any right.
as_user() {
	id=$1
	shift
	(cd "$work/here" && exec $setpriv --reuid "$id" --regid "$id" --clear-groups "$@")
}

from_host() { attaches on_host attach -p "$pid" $tool $RECORD; }
