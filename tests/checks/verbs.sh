# SPDX-License-Identifier: MIT
# build.sh answers as its help says.
. tests/lab/check.sh
scratch

unknown_verb() {
	status 2 ./build.sh frobnicate > "$folder/out" 2> "$folder/err" || return 1
	cat "$folder/out" "$folder/err"
	[ ! -s "$folder/out" ] && grep -q "unknown verb 'frobnicate'" "$folder/err" && grep -q '^usage:' "$folder/err"
}

names_every_verb() {
	for verb in deps build test demo bench soak mutants coverage analyze dist install uninstall clean help; do
		./build.sh help | grep -q "^  $verb " || { echo "$verb is missing"; return 1; }
	done
}

# As a user who is not root and lacks a compiler, with a PATH that has the shell's tools alone.
missing_tool_is_named() {
	mkdir -p "$folder/bin"
	for tool in sh dirname uname id cat; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
	PATH=$folder/bin status 1 ./build.sh build > "$folder/said" 2>&1 || return 1
	cat "$folder/said"
	[ "$(wc -l < "$folder/said")" = 1 ] && grep -q 'please install:.* gcc' "$folder/said"
}

# What ./build.sh demo and bench build: nothing of it may come from parts that only tests fetch.
needs_test_parts() {
	make -nB ARCH="$(uname -m)" roclatch libraries fixtures bench demo | grep -E 'deps/(unity|kernel|busybox)'
}

# cppcheck with several jobs ends with 0 after what it found across files.
finding_counts() {
	mkdir -p "$folder/tools"
	printf '#!/bin/sh\necho "elf/err.c:9:1: error: Null pointer dereference: err [ctunullpointer]"\n' > "$folder/tools/cppcheck"
	chmod +x "$folder/tools/cppcheck"
	PATH=$folder/tools:$PATH status 1 sh tests/analyze.sh cppcheck > "$folder/said" || { tail -n 3 "$folder/said"; return 1; }
	grep -q '^not ok elf/err.c$' "$folder/said" && grep -q '^cppcheck: [1-9][0-9]* clean, 1 not, 0 unknown' "$folder/said" || return 1
	printf '#!/bin/sh\n' > "$folder/tools/cppcheck"
	PATH=$folder/tools:$PATH status 0 sh tests/analyze.sh cppcheck > "$folder/said" && grep -q ' clean, 0 not, 0 unknown' "$folder/said"
}

works_elsewhere() { (cd / && "$OLDPWD/build.sh" help >/dev/null); }

check "the samples are built without the parts that only tests need" denies needs_test_parts
check "an unknown verb gets usage on stderr and status 2" unknown_verb
check "a verb that takes no words refuses them with status 2" status 2 ./build.sh clean everything
check "an unknown option of deps is refused with status 2" status 2 ./build.sh deps --frobnicate
check "an unknown group of tests is refused with status 2, before all is built" status 2 ./build.sh test frobnicate
check "help names every verb" names_every_verb
check "help can be asked for from another folder" works_elsewhere
check "whatever cppcheck says counts, also if it ends with 0" finding_counts
check "a missing tool is named in one sentence" missing_tool_is_named
