# SPDX-License-Identifier: MIT
# Nothing enters the build that build.lock does not know.
. tests/lab/check.sh
scratch

# clone NAME: a tree with the lock and the scripts alone.
clone() {
	mkdir -p "$folder/$1/build/cache"
	cp -r build.lock deps "$folder/$1/"
	cd "$folder/$1" || exit 1
}

fetch() { ROCLATCH_MIRRORS="file://$folder/mirror" deps/fetch.sh "$@"; }

musl_path() { awk '$1 == "musl-x86_64/musl" { print $3 }' build.lock; }

serve() {
	mkdir -p "$folder/mirror/$(dirname "$1")"
	cp "$2" "$folder/mirror/$1"
}

every_line_is_whole() {
	awk '/^#/ || $1 == "snapshot" { next }
		NF != 4 || $1 !~ /^[^\/]+\/[^\/]+$/ || $3 !~ /^pool\// || $4 !~ /^[0-9a-f]+$/ || length($4) != 64 { print; bad = 1 }
		END { exit bad }' build.lock
}

names_no_host() { grep -nE '[a-z]+://' build.lock; }

altered_file_is_refused() (
	clone altered
	serve "$(musl_path)" deps/fetch.sh
	fetch musl-x86_64 && return 1
	[ ! -e build/deps/musl-x86_64/.lock ] && [ -z "$(ls build/cache)" ]
)

altered_cache_is_not_used() (
	source=$PWD
	clone cached
	path=$(musl_path)
	grep -v -e musl-x86_64/musl-dev -e musl-x86_64/linux "$source/build.lock" > build.lock
	echo broken > "build/cache/${path##*/}"
	serve "$path" "$source/build/cache/${path##*/}"
	fetch musl-x86_64 && cmp "build/cache/${path##*/}" "$source/build/cache/${path##*/}"
)

gone_file_is_explained() (
	clone gone
	rm -rf "$folder/mirror"
	fetch zydis > said 2>&1 && return 1
	cat said
	grep -q 'zydis_.* is on no mirror .*--update-lock' said
)

unknown_group_is_refused() (clone unknown; status 1 fetch nothing-of-the-kind)

check "every line of build.lock has a name, a version, a path and a sha256" every_line_is_whole
check "build.lock names no host" denies names_no_host
check "a file with another sha256 is refused and not kept" altered_file_is_refused
check "a damaged file in the cache is fetched anew" altered_cache_is_not_used
check "a file that is gone from the mirrors is explained" gone_file_is_explained
check "a group that is not locked is refused" unknown_group_is_refused
