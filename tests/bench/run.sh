#!/bin/sh
# SPDX-License-Identifier: MIT
# Measure roclatch beside gdb, lldb, eu-stack and perf, and above the floor; one table of all figures at the end.
# See usage below. ./build.sh bench builds what it runs before.
set -eu
cd "$(dirname "$0")/../.."
cpu=$(uname -m)
work=build/bench/$cpu
roclatch=build/$cpu/roclatch
page=docs/bench.md
parts="call attach record convert report gaps slowdown cost list stacks wait"

usage() {
	cat <<-END
	usage: tests/bench/run.sh [--quick] [--write] [--results FOLDER] [PART...]
	       tests/bench/run.sh --table FOLDER... [--write]
	       tests/bench/run.sh --pack

	PARTs, all without one: $parts
	  --quick           fewer runs and smaller inputs
	  --write           put the table into $page, too
	  --results FOLDER  for figures and machine, default: $work/results
	  --table           measure nothing: make the table of what such folders hold
	  --built           build nothing (nothing is built here in any case)
	  --pack            bring what can be brought of gdb, eu-stack and perf into $work/peer, for a machine without them
	END
}
die() { echo "bench: $*" >&2; exit 1; }

# ---- peers ------------------------------------------------------------------------------------------
# gdb and eu-stack as the tests have them, which need no Python; perf as it is installed here.
pack() {
	mkdir -p "$work/peer/lib"
	from=build/$cpu/tests/watch/peer
	[ -e "$from/.made" ] || die "please build $from/.made with make before, for its gdb and eu-stack"
	cp "$from/gdb" "$from/eu-stack" "$work/peer/"
	find "$from/lib" -maxdepth 1 -type f ! -name 'libproto*' -exec cp '{}' "$work/peer/lib/" ';'
	! command -v perf >/dev/null || cp -L "$(command -v perf)" "$work/peer/"
	for program in "$work"/peer/*; do
		[ -f "$program" ] || continue
		ldd "$program" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
			[ -e "$work/peer/lib/${library##*/}" ] || cp -L "$library" "$work/peer/lib/"
		done
	done
	du -sh "$work/peer"
}

version_of() {
	set -- "$1" "$(command -v "$1")"
	if [ -n "$2" ]; then
		"$2" --version 2>&1
	elif [ -x "${BENCH_PEERS-}/$1" ]; then
		for loader in "$BENCH_PEERS"/lib/ld-linux-*; do
			"$loader" --library-path "$BENCH_PEERS/lib" "$BENCH_PEERS/$1" --version 2>&1
		done
	else
		echo "$1 is not installed (0.0)"
	fi | grep -m 1 -i "$1.*[0-9]\.[0-9]" | sed 's/ (0\.0)//'
}

machine() {
	model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
	[ -n "$model" ] || model=$(lscpu 2>/dev/null | sed -n 's/^Model name:[[:space:]]*//p' | head -n 1)
	printf -- '- CPU: %s, %s cores (%s)\n' "${model:-unknown}" "$(nproc)" "$cpu"
	grep -qw hypervisor /proc/cpuinfo && echo "- the machine is a virtual one"
	printf -- '- memory: %s MiB; Linux %s\n' "$(awk '/^MemTotal/ { printf "%d", $2 / 1024 }' /proc/meminfo)" "$(uname -r)"
	printf -- '- load when it began: %s\n' "$(cut -d ' ' -f 1-3 /proc/loadavg)"
	printf -- '- %s\n' "$("$roclatch" --version | head -n 1)"
	for peer in gdb lldb eu-stack perf; do printf -- '- %s\n' "$(version_of "$peer")"; done
	printf -- '- measured %s:%s%s\n' "$(date -u +%Y-%m-%d)" "$1" "${BENCH_QUICK:+ (quick: few runs)}"
}

# ---- parts ------------------------------------------------------------------------------------------
# The libraries of the large program are copies of one that travels.
call() {
	mkdir -p "build/bench/fillers-$cpu"
	for copy in $(seq 192); do
		filler=build/bench/fillers-$cpu/libfiller$copy.so
		[ -e "$filler" ] || cp "$work/libfiller.so" "$filler"
	done
	"$work/call_cost" "$roclatch" "$work"
}
attach() {
	root=build/$cpu/fixtures/root-rocm
	[ -x "$root/rocm-app" ] || { echo "bench: there is no $root/rocm-app; ./build.sh bench builds it" >&2; return 1; }
	"$work/attach_cost" "$roclatch" "$work" "$root" "$scratch"
}
record() {
	tool=build/$cpu/libroclatch-tool.so
	wc -c < "$tool" | awk '{ print "@figure size.tool roclatch", $1 / 1024, 0, 1 }' >> "$BENCH_FIGURES"
	"$work/tool_cost" "$tool" "$scratch"
}
convert() {
	records=${BENCH_RECORDS:-${BENCH_QUICK:+300000}}
	records=${records:-10000000}
	"$work/made_log" "$scratch/bench.rlog" "$records" || return 1
	"$work/convert_cost" "$roclatch" "$scratch/bench.rlog" "$records" "$scratch" && good=0 || good=1
	rm -f "$scratch/bench.rlog"
	return "$good"
}
report() {
	ranks=${BENCH_RANKS:-${BENCH_QUICK:+1000}}
	# shellcheck disable=SC2086 # several numbers
	"$work/report_cost" "$roclatch" "build/$cpu/tests/make_job" "$scratch" ${ranks:-1000 3000 10000}
}
watch() { "$work/watch" --roclatch "$roclatch" "$1"; }

measure() {
	number=0
	for part; do
		number=$((number + 1))
		printf '\n==== %s (%s of %s), %s s after the begin\n' "$part" "$number" "$#" "$(($(date +%s) - begun))"
		case $part in
		call | attach | record | convert | report) "$part" ;;
		*) watch "$part" ;;
		esac || { echo "bench: $part FAILED" >&2; failed="${failed-} $part"; }
	done
}

# ---- the table --------------------------------------------------------------------------------------
# table FOLDER...: what these hold, as one
table() {
	for folder; do cat "$folder/machine"; done | awk '!seen[$0]++'
	echo
	for folder; do cat "$folder/figures"; done > "$scratch/figures"
	awk -f tests/bench/table.awk tests/bench/figures.tsv "$scratch/figures"
}
begin_mark='<!-- made by tests/bench/run.sh --write -->'
end_mark='<!-- end of what is made -->'
write() {
	[ "$(grep -cxF -e "$begin_mark" -e "$end_mark" "$page")" = 2 ] ||
		die "$page has lost the lines between which the table goes"
	awk -v begin="$begin_mark" -v end="$end_mark" -v table="$scratch/table" '
		$0 == end { inside = 0 }
		!inside { print }
		$0 == begin { inside = 1; print ""; while ((getline line < table) > 0) print line; print "" }' "$page" > "$scratch/page"
	cat "$scratch/page" > "$page"
	echo "bench: the table is in $page"
}
show() {
	table "$@" > "$scratch/table" || die "the table could not be made"
	echo
	cat "$scratch/table"
	echo
	awk -v plain=1 -f tests/bench/table.awk tests/bench/figures.tsv "$scratch/figures" > "$scratch/missed"
	if [ -s "$scratch/missed" ]; then
		echo "missed:"
		cat "$scratch/missed"
	else
		echo "nothing that could be told misses what is expected"
	fi
	[ -z "$written" ] || write
}

# ---- words -----------------------------------------------------------------------------------------
results=$work/results written='' wanted='' only_table=''
while [ $# -gt 0 ]; do
	case $1 in
	--quick) export BENCH_QUICK=1 ;;
	--write) written=yes ;;
	--built) ;;
	--results) [ $# -gt 1 ] || { usage >&2; exit 2; }; results=$2; shift ;;
	--table) only_table=yes ;;
	--pack) pack; exit ;;
	-h | --help) usage; exit ;;
	-*) usage >&2; exit 2 ;;
	*) wanted="$wanted $1" ;;
	esac
	shift
done
scratch=$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/roclatch-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
if [ -n "$only_table" ]; then
	for folder in $wanted; do [ -s "$folder/figures" ] || die "$folder holds no figures"; done
	[ -n "$wanted" ] || { usage >&2; exit 2; }
	# shellcheck disable=SC2086 # several folders
	show $wanted
	exit
fi
for part in $wanted; do
	case " $parts " in *" $part "*) ;; *) echo "bench: there is no part '$part'; there are: $parts" >&2; exit 2 ;; esac
done
for file in "$roclatch" "$work/watch" "$work/call_cost" "build/$cpu/tests/make_job" "build/$cpu/libroclatch-tool.so"; do
	[ -x "$file" ] || die "there is no $file; ./build.sh bench builds it"
done
for folder in "$work/peer" "build/$cpu/tests/watch/peer"; do
	[ -n "${BENCH_PEERS-}" ] || [ ! -d "$folder/lib" ] || export BENCH_PEERS="$PWD/$folder"
done
for peer in gdb lldb eu-stack perf; do
	case $(version_of $peer) in *" is not installed") echo "bench: $peer is not installed: its column stays empty" >&2 ;; esac
done
mkdir -p "$results"
export BENCH_FIGURES="$results/figures"
: > "$BENCH_FIGURES"
begun=$(date +%s)
machine "${wanted:- all parts}" > "$results/machine"
cat "$results/machine"
# shellcheck disable=SC2086 # several parts
measure ${wanted:-$parts}
show "$results"
[ -z "${failed-}" ] || die "failed:$failed"
