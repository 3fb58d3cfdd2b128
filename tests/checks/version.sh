# SPDX-License-Identifier: MIT
# version.h alone says which version this is; all that is made says the same.
. tests/lab/check.sh
host=$(uname -m)
version=$(sed -n 's/^#define ROCLATCH_VERSION "\(.*\)"$/\1/p' version.h)
pattern=$(echo "$version" | sed 's/\./\\./g')

is_one() { echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+'; }

# Man pages are made by the program, the bench's table names what was measured; build.lock has the versions of others.
second_place() {
	find . \( -name build -o -name .git -o -path ./dist -o -path ./tests/fuzz/corpus -o -name '*.1' -o -name build.lock -o -path ./docs/bench.md -o -path ./version.h \) \
		-prune -o -type f -print0 | xargs -0 grep -nIE "(^|[^0-9.])$pattern($|[^0-9.])|^#define ROCLATCH_VERSION"
}

man_pages() { find docs -name '*.1'; }
page_without() { man_pages | xargs grep -L "^\.TH .*\"roclatch $pattern\"" | grep .; }
has_pages() { man_pages | grep -q .; }
program_says() { [ "$("build/$host/roclatch" --version | head -n 1)" = "roclatch $version" ]; }
file_without() { grep -aLF "$version" build/*/roclatch build/*/libroclatch.so.0 build/*/libroclatch.a build/*/libroclatch-tool.so; }
all_have_it() { files=$(file_without); [ -z "$files" ] || { echo "$files"; false; }; }

check "version.h names a version" is_one
check "no second place says it" denies second_place
check "there are man pages" has_pages
check "every man page says it" denies page_without
check "the program says it" program_says
check "programs and libraries of both CPUs have it in them" all_have_it
