# SPDX-License-Identifier: MIT
# A clone in another folder, without a network and in other surroundings, gives the same bytes as this one.
. tests/lab/check.sh
scratch

offline() {
	if [ "$(id -u)" = 0 ]; then unshare -n "$@"; else unshare -rn "$@"; fi
}

is_offline() { offline sh -c '! grep -v -e lo: -e "|" /proc/net/dev'; }
pack_in() { (cd "$1" && shift && umask 077 && "$@" ./build.sh dist "$folder/packed-there"); }
pack_here() { package/dist.sh "$folder/packed-here"; }
same() {
	for file in roclatch libroclatch-tool.so librocprofiler-sdk-rocattach.so.1 librocprofv3-attach.so.1; do
		cmp "$1/build/$2/$file" "$3/build/$2/$file" || return 1
	done
}

# What others wrote takes half of the time, and its objects are made by the same rules for either CPU: here those of one
# are made anew (BOTH=1: of both), our own code's of both.
lend_others() {
	(cd "$clone" && offline deps/fetch.sh zydis sqlite demangle) || return 1
	mkdir -p "$clone/build/$other/obj/zydis"
	for object in sqlite3.o cp-demangle.o zydis/; do
		[ ! -e "build/$other/obj/$object" ] || cp -r "build/$other/obj/$object" "$clone/build/$other/obj/"
	done
}

case $(uname -m) in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
clone=$folder/another-folder-with-a-longer-name
copy_tree "$clone"
check "a namespace without a network can be had" is_offline
[ -n "${BOTH-}" ] || check "the other CPU's objects of what others wrote can be lent" lend_others
export SOURCE_DATE_EPOCH=1700000000
check "a clone builds and packs without the network once everything is fetched" pack_in "$clone" offline env LC_ALL=C TZ=Asia/Tokyo
for cpu in x86_64 aarch64; do
	check "$cpu binary and libraries are the same as those under test" same "$clone" "$cpu" .
done
check "what is under test packs" pack_here
check "tarballs, bills of materials and sums are the same" diff -r "$folder/packed-here" "$folder/packed-there"
