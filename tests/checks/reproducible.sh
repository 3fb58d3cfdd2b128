# SPDX-License-Identifier: MIT
# A clone in another folder, without a network and in other surroundings, gives the same bytes as this one.
. tests/lab/check.sh
scratch

offline() {
	if [ "$(id -u)" = 0 ]; then unshare -n "$@"; else unshare -rn "$@"; fi
}

is_offline() { offline sh -c '! grep -v -e lo: -e "|" /proc/net/dev'; }
build_in() { (cd "$1" && shift && "$@" ./build.sh build); }
same() {
	for file in roclatch libroclatch-tool.so librocprofiler-sdk-rocattach.so.1 librocprofv3-attach.so.1; do
		cmp "$1/build/$2/$file" "$3/build/$2/$file" || return 1
	done
}

clone=$folder/another-folder-with-a-longer-name
copy_tree "$clone"
check "a namespace without a network can be had" is_offline
check "a clone builds without the network once everything is fetched" build_in "$clone" offline env LC_ALL=C TZ=Asia/Tokyo
for cpu in x86_64 aarch64; do
	check "$cpu binary and libraries are the same as those under test" same "$clone" "$cpu" .
done
