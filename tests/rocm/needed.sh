#!/bin/sh
# SPDX-License-Identifier: MIT
# needed.sh READELF FROM LIBRARY TO: take a library and all that it needs from one folder to another, each
# file under its full name and with the link that loaders look for.
set -eu
readelf=$1 from=$2 to=$4

take() {
	[ ! -e "$to/$1" ] || return 0
	file=$(basename "$(readlink -f "$from/$1")")
	cp -L "$from/$1" "$to/$file"
	[ "$file" = "$1" ] || ln -sf "$file" "$to/$1"
	for name in $("$readelf" -d "$from/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		take "$name"
	done
}

take "$3"
