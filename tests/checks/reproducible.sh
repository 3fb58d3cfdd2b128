# SPDX-License-Identifier: MIT
# Two clones in different folders, one of them without a network, give the same bytes.
. tests/lab/check.sh
scratch

offline() {
	if [ "$(id -u)" = 0 ]; then unshare -n "$@"; else unshare -rn "$@"; fi
}

is_offline() { offline sh -c '! grep -v -e lo: -e "|" /proc/net/dev'; }
build_in() { (cd "$1" && shift && "$@" ./build.sh build); }
same() {
	for file in roclatch librocprofiler-sdk-rocattach.so.1 librocprofv3-attach.so.1; do
		cmp "$1/build/$2/$file" "$3/build/$2/$file" || return 1
	done
}

first=$folder/a second=$folder/another-folder-with-a-longer-name
copy_tree "$first"
copy_tree "$second"
check "a namespace without a network can be had" is_offline
check "a clone builds without the network once everything is fetched" build_in "$first" offline
check "a second clone builds" build_in "$second" env LC_ALL=C TZ=Asia/Tokyo
for cpu in x86_64 aarch64; do
	check "$cpu binary and libraries are the same from both clones" same "$first" "$cpu" "$second"
	check "$cpu binary and libraries are the same as the one under test" same "$first" "$cpu" .
done
