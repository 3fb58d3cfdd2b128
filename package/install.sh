#!/bin/sh
# SPDX-License-Identifier: MIT
# package/install.sh may|install|uninstall: what was built, below $DESTDIR$PREFIX, and away again; `may` only looks
# whether that can be written to.  What was put there is in share/doc/roclatch/installed.
set -eu
umask 022
cd "$(dirname "$0")/.."
. package/layout.sh

die() { echo "build.sh: $*" >&2; exit 1; }
wrong() { echo "build.sh: $*" >&2; exit 2; }

prefix=${PREFIX:-/usr/local} cpu=${ARCH:-$host}
case $prefix in /*) ;; *) wrong "PREFIX=$prefix is no absolute path" ;; esac
case ${DESTDIR-} in '' | /*) ;; *) wrong "DESTDIR=$DESTDIR is no absolute path" ;; esac
case $cpu in x86_64 | aarch64) ;; *) wrong "ARCH=$cpu is not supported, use x86_64 or aarch64" ;; esac
to=${DESTDIR-}$prefix
list=$document/installed

# may_write FOLDER...: below the prefix; those that are not there yet can be made.
may_write() {
	for folder; do
		at=$to/$folder
		until [ -e "$at" ] || [ -L "$at" ]; do at=$(dirname "$at"); done
		[ -d "$at" ] || die "$at is in the way: it is no folder"
		[ -w "$at" ] || die "no right to write to $at: run this as root (sudo), or choose another place with PREFIX=FOLDER"
	done
}

# read_list: what the list has, as $work/had.file and had.folder; nothing in it leads out of the prefix.  $above: so many
# folders above the prefix were made for it.
read_list() {
	above=$(sed -n 's/^above \([0-9]\)$/\1/p' "$to/$list")
	for kind in file folder; do sed -n "s/^$kind //p" "$to/$list" > "$work/had.$kind"; done
	! grep -qE '^/|(^|/)\.\.(/|$)' "$work/had.file" "$work/had.folder" || die "$to/$list names what is not below $to"
}

# The folders that are missing, made and noted.
make_folders() {
	at=$(dirname "$to")
	until [ -d "$at" ]; do above=$((above + 1)) at=$(dirname "$at"); done
	echo "above $above" >> "$work/list"
	mkdir -p "$(dirname "$to")"
	while read -r folder; do
		at=$to/$folder at=${at%/.}
		[ ! -d "$at" ] || continue
		mkdir "$at"
		echo "folder $folder" >> "$work/list"
	done < "$work/folders"
}

# Put in place by rename: a tool that a process has mapped, and a program that runs, keep their bytes.
put() {
	part=$to/$1.part
	cp -P --preserve=mode "$work/new/$1" "$part"
	mv -fT "$part" "$to/$1"
	part=
}

# What an earlier roclatch had and this one has not goes; the folders that it made stay noted.
take_over() {
	[ -f "$to/$list" ] || return 0
	read_list
	sed 's/^/folder /' "$work/had.folder" >> "$work/list"
	LC_ALL=C sort "$work/had.file" | LC_ALL=C comm -23 - "$work/files" | while read -r old; do rm -f "$to/$old"; done
}

may() { may_write bin lib include share; }

install() {
	may
	lay_out "$cpu" "$work/new"
	: > "$work/new/$list"
	chmod 644 "$work/new/$list"
	(cd "$work/new" && find . -type d | sed 's,^\./,,' | LC_ALL=C sort) > "$work/folders"
	(cd "$work/new" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) > "$work/files"
	while read -r folder; do may_write "$folder"; done < "$work/folders"
	sed 's/^/file /' "$work/files" > "$work/list"
	take_over
	make_folders
	# The list comes first: whatever happens now, uninstall finds all there is.
	LC_ALL=C sort -u "$work/list" > "$work/new/$list"
	put "$list"
	while read -r file; do put "$file"; done < "$work/files"
	echo "roclatch $version for $cpu is in $to: $(wc -l < "$work/files") files; ./build.sh uninstall takes them away"
}

uninstall() {
	[ -f "$to/$list" ] || die "./build.sh install has put no roclatch in $to: there is no $to/$list"
	read_list
	while read -r file; do may_write "$(dirname "$file")"; done < "$work/had.file"
	# The list goes last.
	grep -vxF "$list" "$work/had.file" | while read -r file; do rm -f "$to/$file"; done
	rm -f "$to/$list"
	LC_ALL=C sort -r "$work/had.folder" | while read -r folder; do
		at=$to/$folder at=${at%/.}
		[ ! -d "$at" ] || rmdir --ignore-fail-on-non-empty "$at"
	done
	at=$to
	while [ "${above:-0}" -gt 0 ] && [ ! -d "$at" ]; do
		above=$((above - 1)) at=$(dirname "$at")
		rmdir --ignore-fail-on-non-empty "$at"
	done
	echo "roclatch is gone from $to"
}

work=$(mktemp -d) part='' above=0
trap 'rm -rf "$work" ${part:+"$part"}' EXIT
trap 'exit 130' INT TERM
case ${1-} in
may | install | uninstall) "$1" ;;
*) wrong "usage: package/install.sh may|install|uninstall" ;;
esac
