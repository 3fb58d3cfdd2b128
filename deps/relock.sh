#!/bin/sh
# SPDX-License-Identifier: MIT
# Resolve deps/groups against the Debian archive of today and print a new build.lock on stdout.
# A private apt root is used for every suite and CPU: the host's packages are not touched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

die() { echo "relock: $*" >&2; exit 1; }

deb_cpu() { case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) die "unknown CPU $1" ;; esac; }

# apt_root DEBCPU SUITES: the folder of a private apt root, made on first use.
apt_root() {
	root=$work/$1-$2
	[ ! -d "$root" ] || { echo "$root"; return; }
	mkdir -p "$root/none" "$root/lists/partial" "$root/cache/archives/partial" "$root/log"
	: > "$root/status"
	echo "$2" | tr , '\n' | while read -r suite; do
		echo "deb [arch=$1 signed-by=$keyring] $mirror $suite main"
		echo "deb-src [signed-by=$keyring] $mirror $suite main"
	done > "$root/sources.list"
	cat > "$root/apt.conf" <<-EOF
	#clear APT::Architectures;
	APT::Architecture "$1"; APT::Architectures "$1";
	APT::Install-Recommends "0"; APT::Sandbox::User "root";
	Acquire::Languages "none"; Acquire::Retries "3"; Acquire::Check-Valid-Until "0";
	Dir::State "$root"; Dir::State::lists "$root/lists"; Dir::State::status "$root/status";
	Dir::Cache "$root/cache"; Dir::Cache::archives "$root/cache/archives"; Dir::Log "$root/log";
	Dir::Etc::sourcelist "$root/sources.list"; Dir::Etc::sourceparts "$root/none";
	Dir::Etc::preferences "$root/none/p"; Dir::Etc::preferencesparts "$root/none";
	EOF
	APT_CONFIG=$root/apt.conf apt-get -qq update >&2 || die "apt-get update failed for $2 ($1)"
	echo "$root"
}

# kernel_package REGEX: the newest unsigned-name image package matching it.
kernel_package() {
	apt-cache search --names-only "$1" | awk '{ print $1 }' | sort -V | tail -n 1
}

# expand WHAT DEBCPU: the package names that one word of deps/groups stands for.
expand() {
	case $1 in
	@*) apt-get -qq -s install "${1#@}" | awk '$1 == "Inst" { print $2 }' ;;
	linux-image-cloud) kernel_package "^linux-image-[0-9].*[0-9]-cloud-$2\$" ;;
	linux-image-16k) kernel_package "^linux-image-[0-9].*[0-9]-$2-16k\$" ;;
	*) echo "$1" ;;
	esac
}

binary_line() {
	apt-cache show --no-all-versions "$2" | awk -v group="$1" -v name="$2" '
		$1 == "Version:" { version = $2 } $1 == "Filename:" { path = $2 } $1 == "SHA256:" { sum = $2 }
		END { if (!sum) exit 1; print group "/" name, version, path, sum }' || die "no package $2 for $1"
}

source_line() {
	apt-cache showsrc "$2" | awk -v group="$1" -v name="$2" '
		$1 == "Version:" { version = $2 } $1 == "Directory:" { folder = $2 }
		/^[A-Z]/ { sums = ($1 == "Checksums-Sha256:") }
		sums && $3 ~ /\.orig\.tar\.[a-z0-9]+$/ { line = group "/" name " " version; file = $3; sum = $1 }
		/^$/ { if (sum) exit }
		END { if (!sum) exit 1; print line, folder "/" file, sum }' || die "no source $2 for $1"
}

# lock_group GROUP CPU SUITES WHAT...
lock_group() (
	group=$1 cpu=$(deb_cpu "$2") suites=$3
	shift 3
	root=$(apt_root "$cpu" "$suites")
	export APT_CONFIG="$root/apt.conf"
	for what; do
		case $what in
		src:*) source_line "$group" "${what#src:}" ;;
		*) for name in $(expand "$what" "$cpu"); do binary_line "$group" "$name"; done ;;
		esac
	done
)

mirror=$("$here/mirror.sh" | head -n 1)
echo "# SPDX-License-Identifier: MIT"
echo "# Everything the build fetches: NAME VERSION PATH SHA256. PATH is below a Debian mirror."
echo "# Made by ./build.sh deps --update-lock from deps/groups; do not edit."
echo "snapshot $(date -u +%Y%m%dT000000Z)"
grep -v '^#' "$here/groups" | while read -r group cpu suites what; do
	for one in $(if [ "$cpu" = each ]; then echo x86_64 aarch64; else echo "$cpu"; fi); do
		full=$group
		[ "$cpu" != each ] || full=$group-$one
		# shellcheck disable=SC2086 # one word for each package
		lock_group "$full" "$one" "$suites" $what
	done
done
