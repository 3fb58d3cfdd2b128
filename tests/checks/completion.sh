# SPDX-License-Identifier: MIT
# roclatch completion, asked in real shells: what they offer is what the man pages say, nothing missing and nothing more.
. tests/lab/check.sh
scratch
bin=$PWD/build/$(uname -m)
roclatch=$bin/roclatch
names=$(for page in docs/man/roclatch-*.1; do basename "$page" .1 | cut -d - -f 2; done)
PATH=$bin:$PATH

# page NAME: the heads of its options, as "-f, --output-format csv|json".
page() { awk 'head { print; head = 0 } /^\.TP$/ { head = 1 }' "docs/man/roclatch-$1.1" | sed -e 's/[\\]f[BIR]//g' -e 's/[\\]-/-/g' | grep '^-'; }
options_of() { page "$1" | grep -oE -e '--[a-z0-9-]+'; }
# "--on fresh|borrowed" for each option of choices, the long name alone
choices_of() { page "$1" | sed -nE 's/.*(--[a-z0-9-]+) ([a-z0-9_-]+(\|[a-z0-9_-]+)+)$/\1 \2/p'; }

# want LINE [WORD...]: a line to be typed, and what must be offered.
want() {
	number=$((number + 1))
	printf '%s\n' "$1" >> "$folder/lines"
	shift
	: > "$folder/want.$number"
	[ $# = 0 ] || printf '%s\n' "$@" | LC_ALL=C sort > "$folder/want.$number"
}
tables() {
	number=0
	# shellcheck disable=SC2046,SC2086 # words
	{
		want 'roclatch ' $names
		want 'roclatch help ' $names
		want 'roclatch co' completion convert
		want 'roclatch --' --json --verbose --help --version
		for name in $names; do
			want "roclatch $name --" $(options_of "$name")
			choices_of "$name" > "$folder/choices"
			while read -r option choices; do
				want "roclatch $name $option " $(echo "$choices" | tr '|' ' ')
				want "roclatch $name $option=" $(echo "$choices" | tr '|' ' ')
			done < "$folder/choices"
		done
	}
	want 'roclatch -p 1 --runtime-' --runtime-trace
	want 'roclatch attach -p 1 -f csv p' pftrace
	want 'roclatch attach -p 1 -f csv --sys-' --sys-trace
	want 'roclatch attach --sys-trace=' yes no
	want 'roclatch convert x -f csv,r' csv,rocpd
	want 'roclatch completion ' bash zsh fish
	want 'roclatch check --output-directory f' folder_a/ folder_b/
	want 'roclatch install f' folder_a/ folder_b/
	want 'roclatch report f' folder_a/ folder_b/
	want 'roclatch convert f' file_a folder_a/ folder_b/
	want 'roclatch inject 1 f' file_a folder_a/ folder_b/
	want 'roclatch inject -p 1 f' file_a folder_a/ folder_b/
	want 'roclatch attach --input f' file_a folder_a/ folder_b/
	want 'roclatch attach --name f'
	want 'roclatch call -- 1 libc --'
	want 'roclatch nothing-such --nothing'
}

# Without what was typed already: bash replaces what stands behind '=' alone, and folders get no stroke where all are inserted.
offered() { sed -E -e 's/^--[a-z-]+=//' -e 's@^(folder_.)$@\1/@' "$1" | LC_ALL=C sort; }
ask() {
	"$roclatch" completion "$1" > "$folder/$1.script" && mkdir "$folder/$1" &&
		(cd "$folder/here" && python3 "$OLDPWD/tests/checks/completion_shell.py" "$1" "$folder/$1.script" "$folder/$1") < "$folder/lines"
}
answers_fit() {
	mkdir -p "$folder/here/folder_a" "$folder/here/folder_b" && : > "$folder/here/file_a" && ask "$1" || return 1
	n=0
	while IFS= read -r line; do
		n=$((n + 1))
		offered "$folder/$1/$n" > "$folder/offered"
		# Where there is nothing to offer, the word stays as it was typed.
		if [ ! -s "$folder/want.$n" ]; then
			last=${line##* }
			grep -vxF -e "$last" "$folder/offered" && { echo "offered behind '$line'"; return 1; }
			continue
		fi
		diff "$folder/want.$n" "$folder/offered" || { echo "behind '$line'"; return 1; }
	done < "$folder/lines"
	[ "$n" = "$number" ]
}

# Every option that takes nothing, given to the program that offers it.
options_are_understood() {
	for name in $names; do
		page "$name" | sed -nE 's/^(-., )?(--[a-z0-9-]+)$/\2/p' > "$folder/flags"
		[ -s "$folder/flags" ] || return 1
		while read -r flag; do
			"$roclatch" "$name" "$flag" --help > /dev/null 2>&1 || { echo "$name $flag"; return 1; }
		done < "$folder/flags"
	done
}

# In a pid namespace of its own, where we know who is there.
cat > "$folder/pids.sh" <<-'EOF'
	sleep 600 & sleeper=$!
	"$1" completion words -- check '' | cut -f 1 > "$2/plain"
	echo "$$ $sleeper" | tr ' ' '\n' | sort > "$2/there"
	cp "$1" "$2/libamdhip64.so.7"
	python3 -c 'import mmap, sys, time
	file = open(sys.argv[1], "rb"); memory = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ); print("mapped", flush=True); time.sleep(600)' "$2/libamdhip64.so.7" > "$2/mapped" &
	user=$!
	while [ ! -s "$2/mapped" ] && kill -0 $user; do sleep 0.1; done
	for words in "check" "attach -p" "attach --pid" "top --pid"; do
		"$1" completion words -- $words '' > "$2/using"
		[ "$(cut -f 1 "$2/using")" = "$user" ] && grep -q 'python3' "$2/using" || { cat "$2/using"; exit 1; }
	done
	[ "$("$1" completion words -- check --pid= | cut -f 1)" = "--pid=$user" ]
EOF
sed -i 's/^\t//' "$folder/pids.sh"
pids_fit() {
	unshare -pf --mount-proc sh "$folder/pids.sh" "$roclatch" "$folder" || return 1
	# besides these two at most the other end of the pipe
	[ "$(grep -cxF -f "$folder/there" "$folder/plain")" = 2 ] && [ "$(wc -l < "$folder/plain")" -le 3 ]
}

check "shellcheck has nothing to say about the script for bash" sh -c "'$roclatch' completion bash | shellcheck -s bash -"
check "zsh can read its script" sh -c "'$roclatch' completion zsh | zsh -n"
check "fish can read its script" sh -c "'$roclatch' completion fish | fish --no-config --no-execute"
tables
for shell in bash zsh fish; do
	check "$shell offers what the man pages say" answers_fit "$shell"
done
check "what is offered is understood" options_are_understood
check "processes are offered: those that use a GPU, or all where none does" pids_fit
