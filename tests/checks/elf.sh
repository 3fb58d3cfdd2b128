# SPDX-License-Identifier: MIT
# elf/ says of real files what readelf says, and of libraries in memory what their own loader says.
. tests/lab/check.sh
scratch
host=$(uname -m)
tests=build/$host/tests
lookup=$tests/elf_lookup

# same_symbols FILE [--symtab]: every name, with and without its version.
same_symbols() {
	readelf -W --symbols "$1" 2>/dev/null | awk -v symtab="${2:+1}" -f tests/checks/elf_expect.awk |
		sort -u > "$folder/expected"
	cut -d ' ' -f 1 "$folder/expected" | "$lookup" "$1" ${2:+"$2"} | sort -u > "$folder/got"
	cat "$folder/got" >> "$folder/all"
	diff "$folder/expected" "$folder/got"
}

# same_addresses FILE: some functions' starts lead back to one of their names.
same_addresses() {
	readelf -W --dyn-syms "$1" | awk '$4 == "FUNC" && $7 ~ /^[0-9]+$/ && $2 !~ /^0+$/ { sub(/@.*/, "", $8); print $2 " 0 " $8 }' |
		sort -u > "$folder/starts"
	awk 'NR % 37 == 1 { print $1 }' "$folder/starts" | sort -u | "$lookup" "$1" --at > "$folder/got"
	! grep -vxF -f "$folder/starts" "$folder/got"
}

same_about() {
	readelf -dW "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' > "$folder/soname"
	readelf -nW "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' > "$folder/id"
	printf 'soname %s\nbuild-id %s\n' "$(cat "$folder/soname")" "$(cat "$folder/id")" > "$folder/expected"
	"$lookup" "$1" --about | diff "$folder/expected" -
}

# all CHECK FILE...: the check holds for each.
all() {
	what=$1
	shift
	for file; do
		"$what" "$file" || { echo "in $file"; return 1; }
	done
}

# The files name more than a handful, so that an empty list does not pass.
all_symbols() {
	: > "$folder/all"
	all same_symbols "$@" && [ "$(wc -l < "$folder/all")" -gt 1000 ]
}

all_symtabs() {
	: > "$folder/all"
	all same_symtab "$@" && [ "$(wc -l < "$folder/all")" -gt 1000 ]
}
same_symtab() { same_symbols "$1" --symtab; }

# libraries ROOT: its shared libraries, each once; the many of iconv are all alike.
libraries() {
	find "$1" -name gconv -prune -o -type f -name '*.so*' -exec sh -c 'readelf -h "$1" >/dev/null 2>&1' _ {} \; -print | sort
}

# same_as_loader SUITE LIBRARY SYMBOL [SKIP]: the library that has the symbol, in a process of that C
# library; questions that match SKIP are left out, as musl has no dlvsym.
same_as_loader() {
	root=build/deps/$1-$host
	case $1 in
	musl) file=$root/usr/lib/$host-linux-musl/libc.so run="$file" ;;
	*) file=$(readlink -f "$root/usr/lib/$host-linux-gnu/$2")
	   run="$(find "$root/usr/lib" -name 'ld-linux-*.so.*' | head -n 1) --library-path $root/usr/lib/$host-linux-gnu" ;;
	esac
	readelf -W --dyn-syms "$file" | awk -f tests/checks/elf_expect.awk | cut -d ' ' -f 1 |
		grep -v "${4:-@@}" | sort -u > "$folder/questions"
	# shellcheck disable=SC2086 # a command and its options
	$run "$tests/elf_dlsym-$1" "$2" "$3" < "$folder/questions"
}

for root in build/deps/bullseye-* build/deps/bookworm-* build/deps/sid-* build/deps/musl-*; do
	name=${root##*/}
	files=$(libraries "$root")
	# shellcheck disable=SC2086 # names without spaces
	{
		check "every dynamic symbol of the libraries in $name is what readelf says" all_symbols $files
		check "functions' addresses in $name lead to their names" all same_addresses $files
		check "sonames and build ids in $name are what readelf says" all same_about $files
	}
done
check "every symbol of .symtab in programs is what readelf says" all_symtabs build/x86_64/tests/unit/test_elf_* build/aarch64/tests/unit/test_elf_*
for suite in bullseye bookworm sid; do
	check "libc of $suite in memory is what dlsym and dlvsym say" same_as_loader "$suite" libc.so.6 abort
	check "libm of $suite in memory is what dlsym and dlvsym say" same_as_loader "$suite" libm.so.6 cbrt
done
check "libpthread of bullseye in memory is what dlsym and dlvsym say" same_as_loader bullseye libpthread.so.0 sem_init
check "libc of musl in memory is what dlsym says" same_as_loader musl libc.so abort '@'
