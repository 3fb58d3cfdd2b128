#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh SQLITE TRUTH BASE [mangled]: are the outputs BASE_* what the SDK stand-in has delivered, value by
# value? TRUTH is its file (tests/rocm/truth.h), SQLITE the command-line shell of SQLite, which reads CSV, JSON
# and rocpd by itself. One line for each comparison, "ok" or "not ok". Kernels' names are checked against
# c++filt, or with "mangled" as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sqlite=$1 truth=$2 base=$3 naming=${4-demangled}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
db=$work/compare.db

# A file for each type of line, with the separators of SQLite's "ascii" mode, which knows no quotes.
for type in sdk kind operation agent counter api dispatch copy allocation scratch counted value marker code_object \
	kernel stream; do
	awk -F '\t' -v type="$type" '$1 == type { sub(/^[^\t]*\t/, ""); gsub(/\t/, "\037"); printf "%s\036", $0 }' \
		"$truth" > "$work/$type"
done

# names: how each kernel is to be called
awk -F '\t' '$1 == "kernel" && $3 == 1 && $NF != "" { print $NF }' "$truth" | sort -u > "$work/symbols"
sed 's/\.kd$//' "$work/symbols" > "$work/plain"
case $naming in
mangled) cp "$work/plain" "$work/called" ;;
# as arguments: in a text it takes letters beyond ASCII for the end of a name
*) while IFS= read -r name; do c++filt -- "$name"; done < "$work/plain" > "$work/called" ;;
esac
paste "$work/symbols" "$work/called" | awk -F '\t' '{ printf "%s\037%s\036", $1, $2 }' > "$work/names"

# Only protoc itself reads the trace: where it is not installed, the trace is not compared.
pftrace=
if command -v protoc > /dev/null; then
	protoc --decode_raw < "${base}_results.pftrace" | awk -f "$here/pftrace.awk" > "$work/pftrace"
	pftrace=$here/pftrace.sql
fi

{
	cat "$here/truth.sql"
	echo ".mode ascii"
	for type in sdk kind operation agent counter api dispatch copy allocation scratch counted value marker code_object \
		kernel stream names; do
		echo ".import $work/$type raw_$type"
	done
	[ -z "$pftrace" ] || echo ".import $work/pftrace raw_pftrace"
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
	cat "$here/rocpd.sql" ${pftrace:+"$pftrace"}
	sed -n 's/^-- compare //p' "$here/csv.sql" "$here/json.sql" "$here/rocpd.sql" ${pftrace:+"$pftrace"} | while read -r name columns truth_view view; do
		cat <<-EOF
		select case when a = b and missing = 0 and extra = 0 and a > 0 then 'ok ' else 'not ok ' end ||
			'$name: ' || b || ' rows of ' || a || ', ' || missing || ' missing, ' || extra || ' others'
		from (select (select count(*) from $truth_view) as a, (select count(*) from $view) as b,
			(select count(*) from (select $columns from $truth_view except select $columns from $view)) as missing,
			(select count(*) from (select $columns from $view except select $columns from $truth_view)) as extra);
		select '# missing: ' || quote(concat_ws('|', $columns)) from (select $columns from $truth_view except select $columns from $view) limit 2;
		select '# extra:   ' || quote(concat_ws('|', $columns)) from (select $columns from $view except select $columns from $truth_view) limit 2;
		EOF
	done
	sed -n 's/^-- empty //p' "$here/rocpd.sql" | while read -r name query; do
		echo "select case count(*) when 0 then 'ok ' else 'not ok ' end || '$name: ' || count(*) || ' rows' from ($query);"
	done
} > "$work/script"
"$sqlite" -bail "$db" < "$work/script" || echo "not ok the script: $? from sqlite"
