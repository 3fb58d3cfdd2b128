#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the Debian mirrors to try, one per line: the host's own first, the public one, and where
# a snapshot stamp is given, the archive of that day, which keeps what the others have dropped.
set -eu
{
	# shellcheck disable=SC2016 # $(REPO_URI) is for apt to expand
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
		grep '/debian/*$' | sort -u
	echo http://deb.debian.org/debian
	[ $# -eq 0 ] || echo "https://snapshot.debian.org/archive/debian/$1"
} | sed 's,/*$,,' | awk '!seen[$0]++'
