# SPDX-License-Identifier: MIT
# The man pages: the tree has them as the program renders them, linters have nothing to say, and their examples work.
. tests/lab/check.sh
scratch
roclatch=$PWD/build/$(uname -m)/roclatch
names=$("$roclatch" completion words -- '' | cut -f 1)

render() {
	"$roclatch" help --man > "$folder/man/roclatch.1" || return 1
	for name in $names; do "$roclatch" help --man "$name" > "$folder/man/roclatch-$name.1" || return 1; done
}
as_in_tree() {
	mkdir "$folder/man" && render || return 1
	diff -r "$folder/man" docs/man || { echo "make man renews docs/man"; return 1; }
}

# Both linters tell by what they say, not by their status alone.
lint_mandoc() { ! mandoc -Tlint -W warning docs/man/*.1 2>&1 | grep .; }
lint_groff() {
	for page in docs/man/*.1; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 > /dev/null | grep . && return 1
	done
	true
}

plain() { MANWIDTH=100 LC_ALL=C.UTF-8 man -E UTF-8 -l "$1" 2>&1 | col -bx; }
has_sections() {
	for page in docs/man/*.1; do
		plain "$page" | grep -E '^[A-Z][A-Z ]+$' | tr '\n' ' ' | grep -xE \
			'NAME SYNOPSIS DESCRIPTION (COMMANDS )?OPTIONS (STEPS )?EXAMPLES (ENVIRONMENT )?EXIT STATUS SEE ALSO ' || { echo "$page"; return 1; }
	done
}
# What is bold or in another fount in roff is the same text as in the help.
has_every_option() {
	for name in $names; do
		plain "docs/man/roclatch-$name.1" > "$folder/page"
		"$roclatch" help "$name" | sed -nE 's/^ +(-., )?(--[a-z0-9-]+).*/\2/p' > "$folder/options"
		[ "$(wc -l < "$folder/options")" -ge 2 ] || return 1
		while read -r option; do
			grep -qE -e "^ +(-., )?$option([ ,]|\$)" "$folder/page" || { echo "$option of $name"; return 1; }
		done < "$folder/options"
	done
}
points_to_pages_that_are_there() {
	cat docs/man/*.1 | sed -nE 's/^\.BR (roclatch[^ ]*) \(1\),?$/\1/p' | sed 's/[\]-/-/g' | sort -u > "$folder/links"
	grep -c . "$folder/links" && while read -r link; do [ -e "docs/man/$link.1" ] || { echo "$link"; return 1; }; done < "$folder/links"
}

# Examples, by the help: each is one that the program understands; behind --help nothing is done.
examples() { "$roclatch" help "$1" | sed -n '/^examples:$/,/^$/s/^  //p'; }
examples_are_understood() {
	for name in $names; do
		examples "$name" > "$folder/examples"
		grep -q "roclatch $name" "$folder/examples" || { echo "$name has none"; return 1; }
		sed -nE 's/^(source <\()?roclatch ([^|>)]*).*/\2/p' "$folder/examples" > "$folder/lines"
		[ "$(wc -l < "$folder/lines")" = "$(wc -l < "$folder/examples")" ] || return 1
		while read -r line; do
			(eval "set -- $line" && "$roclatch" "$@" --help) > /dev/null < /dev/null || { echo "roclatch $line"; return 1; }
		done < "$folder/lines"
	done
}

# Those that need no ROCm, done: the process of the examples is one that sleeps, their files lie in a folder of ours.
examples_work() {
	sleep 600 &
	sleeper=$!
	trap 'kill $sleeper' EXIT
	mkdir -p "$folder/work/bin" && ln -s "$roclatch" "$folder/work/bin/roclatch" || return 1
	done_of=0
	for name in list threads stack sample call install completion help; do
		examples "$name" | grep -vE 'my_function|4712|zsh' |
			sed -e "s/4711/$sleeper/" -e 's/5000/200/' \
			-e "s@/shared/bin@$folder/work/installed@" -e "s@~/.config/fish/completions@$folder/work@" -e 's/man -l -/cat/' > "$folder/examples"
		while read -r line; do
			echo "$line"
			(cd "$folder/work" && PATH=$folder/work/bin:$PATH timeout 60 bash -c "$line") > "$folder/out" 2>&1 < /dev/null ||
				{ cat "$folder/out"; return 1; }
			done_of=$((done_of + 1))
		done < "$folder/examples"
	done
	[ "$done_of" = 12 ] && [ -s "$folder/work/where.html" ] && [ -x "$folder/work/installed/roclatch" ] &&
		[ -s "$folder/work/roclatch.fish" ]
}

check "the man pages of the tree are those of the program" as_in_tree
check "mandoc has nothing to say about them" lint_mandoc
check "groff has nothing to say about them" lint_groff
check "every page has its sections" has_sections
check "every option of the help is in the page" has_every_option
check "pages point to pages that are there" points_to_pages_that_are_there
check "every command has examples, which the program understands" examples_are_understood
check "examples that need no ROCm work" examples_work
