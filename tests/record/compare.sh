#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh SQLITE TRUTH BASE [mangled]: are the outputs BASE_* what the SDK stand-in has delivered, value by
# value? TRUTH is its file (tests/rocm/truth.h), SQLITE the command-line shell of SQLite, which reads CSV, JSON
# and rocpd by itself. One line for each comparison, "ok" or "not ok". Kernels' names are checked against
# c++filt, or with "mangled" as they are, with their ".kd".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sqlite=$1 truth=$2 base=$3 naming=${4-demangled}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
types="sdk kind operation agent counter api dispatch copy allocation scratch counted value marker code_object kernel stream"

# A file for each type of line, with the separators of SQLite's "ascii" mode, which knows no quotes; and, for
# their names, the kernels' symbols. A type that did not come has an empty file.
# shellcheck disable=SC2086 # words
(cd "$work" && touch symbols $types)
awk -F '\t' -v types="$types" -v work="$work" '
	BEGIN { n = split(types, type, " "); for (i = 1; i <= n; i++) file[type[i]] = work "/" type[i] }
	$1 == "kernel" && $3 == 1 && $NF != "" { print $NF > (work "/symbols") }
	$1 in file { to = file[$1]; sub(/^[^\t]*\t/, ""); gsub(/\t/, "\037"); printf "%s\036", $0 > to }' "$truth"

# names: how each kernel is to be called
sort -u -o "$work/symbols" "$work/symbols"
case $naming in
mangled) cp "$work/symbols" "$work/called" ;;
# as arguments: in a text it takes letters beyond ASCII for the end of a name
*) sed 's/\.kd$//' "$work/symbols" | while IFS= read -r name; do c++filt -- "$name"; done > "$work/called" ;;
esac
paste "$work/symbols" "$work/called" | awk -F '\t' '{ printf "%s\037%s\036", $1, $2 }' > "$work/names"

# Only protoc itself reads the trace: the system's, or the one that came along.
PATH=$PATH:$here/../watch/peer/bin
protoc --decode_raw < "${base}_results.pftrace" | awk -f "$here/pftrace.awk" > "$work/pftrace"

{
	echo "pragma temp_store = memory;"
	cat "$here/truth.sql"
	echo ".mode ascii"
	for type in $types names; do
		echo ".import $work/$type raw_$type"
	done
	echo ".import $work/pftrace raw_pftrace"
	cat "$here/views.sql"
	echo ".mode csv"
	for file in "$base"_*_api_trace.csv; do
		[ ! -f "$file" ] || echo ".import --csv --skip 1 $file csv_api"
	done
	for table in kernel memory_copy memory_allocation scratch_memory; do
		[ ! -f "${base}_${table}_trace.csv" ] || echo ".import --csv --skip 1 ${base}_${table}_trace.csv csv_$table"
	done
	for table in counter_collection agent_info; do
		[ ! -f "${base}_$table.csv" ] || echo ".import --csv ${base}_$table.csv csv_$table"
	done
	echo ".mode list"
	cat "$here/csv.sql"
	sed "s|@FILE@|${base}_results.json|" "$here/json.sql"
	echo "attach '${base}_results.db' as r;"
	cat "$here/rocpd.sql" "$here/pftrace.sql"
	sed -n 's/^-- compare //p' "$here/csv.sql" "$here/json.sql" "$here/rocpd.sql" "$here/pftrace.sql" | while read -r name columns truth_view view; do
		# each side is made once, in columns that have no type and so leave every value as it is
		cat <<-EOF
		create temp table expected($columns); insert into expected select $columns from $truth_view;
		create temp table found($columns); insert into found select $columns from $view;
		create temp table missing($columns); insert into missing select * from expected except select * from found;
		create temp table extra($columns); insert into extra select * from found except select * from expected;
		select case when a = b and missing = 0 and extra = 0 and a > 0 then 'ok ' else 'not ok ' end ||
			'$name: ' || b || ' rows of ' || a || ', ' || missing || ' missing, ' || extra || ' others'
		from (select (select count(*) from expected) as a, (select count(*) from found) as b,
			(select count(*) from missing) as missing, (select count(*) from extra) as extra);
		select '# missing: ' || quote(concat_ws('|', $columns)) from missing limit 2;
		select '# extra:   ' || quote(concat_ws('|', $columns)) from extra limit 2;
		drop table expected; drop table found; drop table missing; drop table extra;
		EOF
	done
	sed -n 's/^-- empty //p' "$here/rocpd.sql" | while read -r name query; do
		echo "select case count(*) when 0 then 'ok ' else 'not ok ' end || '$name: ' || count(*) || ' rows' from ($query);"
	done
} > "$work/script"
"$sqlite" -bail :memory: < "$work/script" || echo "not ok the script: $? from sqlite"
