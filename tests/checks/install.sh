# SPDX-License-Identifier: MIT
# ./build.sh install and uninstall: every file in its place, found by who needs it there, and away again.
. tests/lab/check.sh
. package/layout.sh
scratch
stage=$folder/stage
there=$stage/opt/roclatch
rocm=build/$host/fixtures/root-rocm

# told STATUS WORDS COMMAND...: it ends with the status and says the words.
told() {
	wanted=$1 words=$2
	shift 2
	status "$wanted" "$@" > "$folder/said" 2>&1 && good=0 || good=$?
	cat "$folder/said"
	[ "$good" = 0 ] && grep -q -e "$words" "$folder/said"
}
place() { DESTDIR=$stage PREFIX=/opt/roclatch package/install.sh "$@"; }
files() { (cd "$1" && find . -printf '%m %y %P %l\n' | sed 's/ *$//' | LC_ALL=C sort -k 3); }
as_laid_out() {
	(umask 077 && place install) || return 1
	lay_out "$host" "$folder/wanted"
	: > "$folder/wanted/$document/installed" && chmod 644 "$folder/wanted/$document/installed"
	files "$folder/wanted" > "$folder/list" && files "$there" | diff "$folder/list" -
}
same_bytes() { diff -r --no-dereference -x installed "$folder/wanted" "$there"; }
program_runs() { [ "$("$there/bin/roclatch" --version | head -n 1)" = "roclatch $version" ]; }

# with_app COMMAND...: a ROCm-like process, attachable, is $target meanwhile.
with_app() {
	(cd "$rocm" && exec env -i LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready) < /dev/null > /dev/null 2>&1 & target=$!
	for _ in $(seq 100); do
		grep -qsx rocp-bg-attach /proc/$target/task/*/comm && break
		sleep 0.3
	done
	"$@" && good=0 || good=$?
	kill -9 "$target"
	wait "$target" 2> /dev/null
	return "$good"
}
# shellcheck disable=SC2317 # called by with_app
maps_the_tool() {
	"$there/bin/roclatch" attach -p "$target" --own-tool --kernel-trace -d "$folder/out" --attach-duration-msec 100 || return 1
	grep "$there/lib/libroclatch-tool.so$" "/proc/$target/maps"
}
# shellcheck disable=SC2317 # called by with_app
attaches_by_dropin() {
	ROCPROF_OUTPUT_PATH=$folder/out "$there/lib/roclatch/rocprofv3-attach.py" -p "$target" -d 100 || return 1
	grep ' attach ' "$folder/out/$target.callbacks" && grep ' detach ' "$folder/out/$target.callbacks"
}
dropin_is_found() {
	python3 -B - "$there/lib/roclatch" <<-'END'
	import importlib.util, os, sys
	spec = importlib.util.spec_from_file_location("script", sys.argv[1] + "/rocprofv3-attach.py")
	script = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(script)
	library = script.default_library()
	print(library)
	sys.exit(library != os.path.realpath(sys.argv[1]) + "/lib/librocprofiler-sdk-rocattach.so.1")
	END
}
library_is_used() {
	gcc -I"$there/include" bin/lib/example.c -L"$there/lib" -lroclatch -o "$folder/example" || return 1
	LD_LIBRARY_PATH=$there/lib ldd "$folder/example" | grep "=> $there/lib/libroclatch.so.0 " || return 1
	sleep 60 & target=$!
	LD_LIBRARY_PATH=$there/lib "$folder/example" "$target" > "$folder/said" 2>&1
	kill "$target"
	wait "$target" 2> /dev/null
	cat "$folder/said"
	grep -qx "roclatch $version" "$folder/said"
}

# A process may have the tool mapped: the file is another one, and the old one stays as it was.
replaced_by_rename() {
	exec 3< "$there/lib/libroclatch-tool.so"
	cp "$there/lib/libroclatch-tool.so" "$folder/before" && before=$(stat -c %i "$there/lib/libroclatch-tool.so")
	place install && cmp - "$folder/before" <&3 && [ "$(stat -c %i "$there/lib/libroclatch-tool.so")" != "$before" ]
}
earlier_files_go() {
	echo old > "$there/lib/libold.so" && echo "file lib/libold.so" >> "$there/$document/installed"
	place install && [ ! -e "$there/lib/libold.so" ] && files "$there" | diff "$folder/list" -
}
foreign_stays() {
	echo mine > "$there/bin/mine" && place uninstall || return 1
	[ "$(find "$there" ! -type d)" = "$there/bin/mine" ] && [ "$(find "$there" -type d | wc -l)" = 2 ]
}
nothing_is_left() {
	rm "$there/bin/mine" && rmdir "$there/bin" "$there" && place install && place uninstall || return 1
	! find "$stage" -mindepth 2 | grep . || return 1
	mkdir -p "$folder/own" && touch "$folder/own/file" || return 1
	for verb in install uninstall; do DESTDIR='' PREFIX=$folder/own/a/b/c package/install.sh $verb || return 1; done
	[ "$(find "$folder/own")" = "$(printf '%s\n%s' "$folder/own" "$folder/own/file")" ]
}
outside_is_refused() {
	echo precious > "$folder/precious" && place install || return 1
	echo "file ../../../precious" >> "$there/$document/installed"
	status 1 place uninstall && [ -s "$folder/precious" ] && [ -x "$there/bin/roclatch" ]
}
other_cpu() {
	ARCH=aarch64 DESTDIR=$folder/other PREFIX=/usr package/install.sh install && file=$folder/other/usr/bin/roclatch &&
		readelf -h "$file" | grep -q 'Machine:.*AArch64' && cmp "$file" build/aarch64/roclatch
}

# As a user who may not: before anything is done.
refused() {
	mkdir -p "$folder/tree" "$folder/closed" && cp -R package version.h "$folder/tree/" && chmod 755 "$folder" "$folder/closed" || return 1
	if [ "$(id -u)" = 0 ]; then set -- setpriv --reuid 65534 --regid 65534 --clear-groups; else chmod 555 "$folder/closed"; fi
	for verb in may install; do
		PREFIX=$folder/closed/x status 1 "$@" sh "$folder/tree/package/install.sh" $verb > "$folder/said" 2>&1 || { cat "$folder/said"; return 1; }
	done
	cat "$folder/said"
	[ "$(find "$folder/closed" | wc -l)" = 1 ]
}
says_the_remedy() { grep "no right to write to $folder/closed: run this as root (sudo), or choose another place with PREFIX=FOLDER" "$folder/said"; }
in_the_way() { : > "$folder/file" && PREFIX=$folder/file told 1 "$folder/file is in the way" package/install.sh may; }
wrong() { told 2 "$2" ./build.sh install "$1"; }

check "what is installed is what is laid out, with modes for everybody whatever the umask" as_laid_out
check "every byte is as it was built" same_bytes
check "the installed program runs" program_runs
check "the installed program sends the tool that was installed" with_app maps_the_tool
check "the drop-in script finds the installed library" dropin_is_found
check "the installed drop-in library attaches" with_app attaches_by_dropin
check "a program is built and run with the installed libroclatch" library_is_used
check "installing again replaces files and writes into none" replaced_by_rename
check "what an earlier version had and this one has not goes" earlier_files_go
check "uninstall leaves what is not its own" foreign_stays
check "uninstall leaves nothing of its own, and no folder that it made" nothing_is_left
check "uninstall where nothing was installed is told" told 1 'build.sh: .* has put no roclatch in ' place uninstall
check "a list that leads out of the prefix is refused, and nothing is done" outside_is_refused
check "the other CPU's can be installed" other_cpu
check "without the right to write nothing is done, with status 1" refused
check "what to do instead is said" says_the_remedy
check "a file in the way is named" in_the_way
check "a relative PREFIX is refused with status 2" wrong PREFIX=here 'PREFIX=here is no absolute path'
check "a relative DESTDIR is refused with status 2" wrong DESTDIR=here 'DESTDIR=here is no absolute path'
check "an unknown CPU is refused with status 2" wrong ARCH=vax 'ARCH=vax is not supported'
check "an unknown word is refused with status 2" wrong --frobnicate '^usage:'
