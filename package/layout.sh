# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced at the tree's root by dist.sh and install.sh: what belongs to roclatch, laid out below a prefix.
#
#   bin/roclatch
#   lib/                        libroclatch, and the tool, which roclatch looks for in ../lib
#   lib/roclatch/               the drop-in libraries as in ROCm's prefix, with their headers and script: under AMD's
#                               names, so that nothing may find them, or lose its own to them, that does not ask for them
#   include/roclatch.h
#   share/                      man pages, completions, documents and licences
host=$(uname -m)
# shellcheck disable=SC2034 # for who sources this
version=$(sed -n 's/^#define ROCLATCH_VERSION "\(.*\)"$/\1/p' version.h)
document=share/doc/roclatch

# licences CPU FOLDER: of the code that is linked in beside our own, as its authors wrote them.
licences() {
	mkdir -p "$2"
	cp LICENSE "$2/roclatch"
	cp "build/deps/musl-$1/usr/share/doc/musl-dev/copyright" "$2/musl"
	sed -n '/^\*\* 2001 September 15/,/^\*\*\*/p' build/deps/sqlite/fossil-*/extsrc/sqlite3.c | sed '/^\*\*\*/q' > "$2/sqlite"
	sed '/\*\//q' build/deps/demangle/libiberty-*/libiberty/cp-demangle.c > "$2/libiberty"
	[ "$1" != x86_64 ] || cp build/deps/zydis/*zydis*/LICENSE "$2/zydis"
	[ "$1" != x86_64 ] || cp build/deps/zydis/*zycore*/LICENSE "$2/zycore-c"
}

# libraries CPU PREFIX
libraries() {
	mkdir -p "$2/lib/roclatch/lib/rocprofiler-sdk" "$2/include"
	cp -P "build/$1/libroclatch-tool.so" "build/$1/libroclatch.so" "build/$1/libroclatch.so.0" "build/$1/libroclatch.a" "$2/lib/"
	cp bin/lib/roclatch.h "$2/include/"
	cp -P "build/$1/librocprofiler-sdk-rocattach.so" "build/$1/librocprofiler-sdk-rocattach.so.1" "$2/lib/roclatch/lib/"
	cp -P "build/$1/librocprofv3-attach.so" "build/$1/librocprofv3-attach.so.1" "$2/lib/roclatch/lib/rocprofiler-sdk/"
	cp -R bin/dropin/include "$2/lib/roclatch/include"
	cp bin/dropin/rocprofv3-attach.py "$2/lib/roclatch/"
}

# completion SHELL FILE: as the program of this machine tells it.
completion() {
	mkdir -p "${2%/*}"
	"build/$host/roclatch" completion "$1" > "$2"
}

# pages PREFIX
pages() {
	mkdir -p "$1/share/man/man1" "$1/$document"
	cp docs/man/*.1 "$1/share/man/man1/"
	cp README.md "$1/$document/"
	cp -R docs "$1/$document/docs"
	completion bash "$1/share/bash-completion/completions/roclatch"
	completion zsh "$1/share/zsh/site-functions/_roclatch"
	completion fish "$1/share/fish/vendor_completions.d/roclatch.fish"
}

# lay_out CPU PREFIX: all of it, with the modes that it has for everybody.
lay_out() {
	mkdir -p "$2/bin"
	cp "build/$1/roclatch" "$2/bin/"
	libraries "$1" "$2"
	pages "$2"
	licences "$1" "$2/$document/licences"
	chmod -R u=rwX,go=rX "$2"
	find "$2/lib" -type f ! -name '*.py' -exec chmod 644 {} +
}
