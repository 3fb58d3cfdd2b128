#!/bin/sh
# SPDX-License-Identifier: MIT
# deps/fetch.sh GROUP... | all: bring each group of build.lock to build/deps/GROUP.
# Files are kept in build/cache and used from there; nothing unchecked is ever unpacked.
set -eu
cd "$(dirname "$0")/.."
cache=build/cache

die() { echo "deps: $*" >&2; exit 1; }

matches() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }

# download PATH SHA256 FILE: from the first mirror that has it.
download() {
	helper=/usr/lib/apt/apt-helper
	[ -x "$helper" ] || die "apt-helper is missing: fetching needs a Debian host"
	for mirror in ${mirrors:-$(deps/mirror.sh "$snapshot")}; do
		"$helper" -o Acquire::Retries=2 download-file "$mirror/$1" "$3.part" "SHA256:$2" >"$3.log" 2>&1 || continue
		matches "$3.part" "$2" || continue
		mv "$3.part" "$3"
		rm -f "$3.log"
		return
	done
	cat "$3.log" >&2
	rm -f "$3.part" "$3.part.FAILED" "$3.log"
	die "$1 is on no mirror with the locked sha256 (or the network is down);" \
		"when Debian has moved on, run ./build.sh deps --update-lock and commit build.lock"
}

# unpack FILE FOLDER
unpack() {
	case $1 in
	*.deb) dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink --no-same-owner -C "$2" ;;
	*.tar.*) tar -x --no-same-owner -f "$1" -C "$2" ;;
	*) die "do not know how to unpack $1" ;;
	esac
}

# Packages of every age land in one merged-/usr layout, whose links stay inside the folder.
prepare() {
	rm -rf "$1"
	mkdir -p "$1/usr/lib" "$1/usr/lib64"
	ln -s usr/lib "$1/lib"
	ln -s usr/lib64 "$1/lib64"
}

confine_links() {
	find "$1" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$1$(readlink "$link")" "$link"
	done
}

# lacks LINES: one of their files is not here yet.
lacks() {
	echo "$1" | while read -r _ _ path _; do
		[ -f "$cache/${path##*/}" ] || echo "$path"
	done | grep -q .
}

fetch_group() {
	folder=build/deps/$1
	lines=$(grep "^$1/" build.lock) || die "build.lock has no group $1"
	stamp=$folder/.lock
	if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$lines" ]; then return; fi
	prepare "$folder"
	# asking apt takes longer than most downloads: once
	[ -n "$mirrors" ] || ! lacks "$lines" || mirrors=$(deps/mirror.sh "$snapshot")
	echo "$lines" | while read -r name version path sum; do
		file=$cache/${path##*/}
		if ! matches "$file" "$sum"; then
			echo "deps: fetching $name $version"
			download "$path" "$sum" "$file"
		fi
		unpack "$file" "$folder"
	done
	confine_links "$folder"
	echo "$lines" > "$stamp"
}

mkdir -p "$cache" build/deps
exec 9> build/deps/.busy
flock 9
mirrors=${ROCLATCH_MIRRORS-}
snapshot=$(awk '$1 == "snapshot" { print $2 }' build.lock)
# shellcheck disable=SC2046 # one word for each group
[ "$*" != all ] || set -- $(sed -n 's,^\([^#/ ]*\)/.*,\1,p' build.lock | sort -u)
for group; do fetch_group "$group"; done
