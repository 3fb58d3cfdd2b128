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

# Every object is made by the same rules: here the program's own part (bin/) and the tool library are compiled anew for this
# CPU, all else lent to be linked anew (BOTH=1: nothing is lent or taken from a cache, as for a release).  What is lent
# tells nothing of the folder or the day that it was made in.
lend() {
	(cd "$clone" && offline deps/fetch.sh zydis sqlite demangle) || return 1
	for cpu in x86_64 aarch64; do
		mkdir -p "$clone/build/$cpu"
		cp -r "build/$cpu/obj" "build/$cpu/obj-pic" "$clone/build/$cpu/" || return 1
		rm -r "$clone/build/$cpu/obj/tests"
	done
	cp -r "build/$other/obj-tool" "$clone/build/$other/" || return 1
	rm -r "$clone/build/$host/obj/bin" "$clone/build/$host/obj-pic/bin"
}
tells_no_folder() { ! grep -rlF "$PWD" "$clone/build/$other" "$clone/build/$host" --include='*.o'; }
tells_no_day() {
	! grep -rlE '__(DATE|TIME|TIMESTAMP)__' arch elf inject rocp bin build/deps/zydis/*/src build/deps/zydis/*/include \
		build/deps/sqlite/*/extsrc/sqlite3.[ch] build/deps/demangle/*/libiberty/cp-demangle.[ch]
}

host=$(uname -m)
case $host in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
clone=$folder/another-folder-with-a-longer-name
copy_tree "$clone"
check "a namespace without a network can be had" is_offline
if [ -z "${BOTH-}" ]; then
	check "objects can be lent" lend
	check "what is lent does not know its folder" tells_no_folder
	check "nor can it know a day" tells_no_day
else
	export ANEW=1
fi
export SOURCE_DATE_EPOCH=1700000000
check "a clone builds and packs without the network once everything is fetched" pack_in "$clone" offline env LC_ALL=C TZ=Asia/Tokyo
for cpu in x86_64 aarch64; do
	check "$cpu binary and libraries are the same as those under test" same "$clone" "$cpu" .
done
check "what is under test packs" pack_here
check "tarballs, bills of materials and sums are the same" diff -r "$folder/packed-here" "$folder/packed-there"
