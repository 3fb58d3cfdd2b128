# SPDX-License-Identifier: MIT
# What the command line answers to wrong and to simple usage: statuses, and which stream says what.
. tests/lab/check.sh
scratch
roclatch=build/$(uname -m)/roclatch

# run STATUS ARG...
run() {
	wanted=$1
	shift
	said "$wanted" "$roclatch" "$@"
}

# wrong TEXT ARG...: status 2, the text and a remedy on stderr, nothing on stdout.
wrong() {
	text=$1
	shift
	run 2 "$@" && err_says "$text" && err_says '  remedy: ' && silent out
}

check "no command is wrong usage" wrong 'roclatch: no command was given'
check "an unknown command is told" wrong "there is no command 'cxyz'" cxyz 1
check "a misspelt command gets the nearest" wrong 'remedy: did you mean inject?' injct 1 x.so
check "what other programs call record is attach" wrong 'remedy: did you mean attach?' record -p 1
check "the version is an option" wrong 'remedy: did you mean --version?' version
check "attach without a process is wrong usage" wrong 'roclatch: no process is named' attach
check "a process id is not said to begin with a dash" wrong 'remedy: roclatch help attach explains' attach -p --own-tool
check "a short option is not taken for another" wrong 'roclatch help check explains' check 1 --bad
check "an unknown option is told" wrong 'call: there is no option --nothing-such' call --nothing-such
check "a misspelt option gets the nearest" wrong 'did you mean --timeout-msec?' call 1 libc x --timeout-mesc 5
check "an option before the command is checked too" wrong 'did you mean --json?' --jsn call 1 libc x
check "missing operands show the usage" wrong 'usage: roclatch call [OPTION...] PID LIBRARY SYMBOL [ARG...]' call 1 libc
check "with --pid one operand less is needed, not two" wrong 'call: missing arguments' call -p 1 libc
check "seven arguments are too many" wrong 'call: too many arguments' call 1 libc x 1 2 3 4 5 6 7
for pid in 12x 0 -1 4194305 99999999999999999999 0x '' ' 1'; do
	check "'$pid' is not a process id" wrong "'$pid' is not a process id" call "$pid" libc getpid
done
check "list takes no operands" wrong 'list: too many arguments' list 1
check "attach needs a process" wrong 'remedy:' attach --sys-trace
check "options alone mean attach" wrong 'there is no option --sys-trce' -p 1 --sys-trce
check "the own tool and another one exclude each other" wrong 'exclude each other' attach -p 1 --own-tool -t /a/libtool.so
check "report needs a folder" wrong 'usage: roclatch report [OPTION...] FOLDER' report -f text
check "convert needs a file" wrong 'usage: roclatch convert [OPTION...] FILE...' convert -f csv
check "a misspelt option of convert gets the nearest" wrong 'convert: there is no option --output-fromat' convert x --output-fromat csv
check "a collection period does not go with attaching" wrong 'collection-period' attach -p 1 --collection-period 1:1:1
check "a time limit of nothing is refused" wrong '--timeout-msec takes a time from 1 to' call 1 libc x --timeout-msec 0
check "a time limit needs a value" wrong '--timeout-msec needs a value: TIME' call 1 libc x --timeout-msec
check "a time limit in a unit that is not known is refused" wrong '10s, 500ms and 2m are understood' call 1 libc x --timeout-msec 1h
check "so it is for attach" wrong '--timeout-msec takes a time from 1 to 86400000 ms' attach -p 1 --timeout-msec 1h
check "a thread is a number" wrong '--thread takes a number from 1 to' call 1 libc x --thread main
check "threads are fresh or borrowed" wrong "--on takes fresh|borrowed, not 'other'" call 1 libc x --on other
check "an argument has at most 64 bits" wrong 'starts like a number' call 1 libc x 18446744073709551616
check "a negative argument has at most 63 bits" wrong 'starts like a number' call 1 libc x -9223372036854775809
check "text like a number needs s:" wrong 'if it is text, write s:3rd' call 1 libc x 3rd
for command in threads stack sample; do
	check "$command needs a process" wrong "$command: missing arguments" "$command"
done
check "threads takes one process" wrong 'threads: too many arguments' threads 1 2
check "a thread id is a number" wrong "'x' is not a thread id" stack 1 x
check "stacks are of three kinds" wrong "--stacks takes blocked|all|none, not 'some'" sample 1 --stacks some
check "a rate has limits" wrong '--rate takes a number from 1 to 1000' sample 1 --rate 1001
check "an unknown format of samples is told" wrong '-f takes text|json' sample 1 -f csv
check "top needs a terminal" wrong 'stdin is not a terminal' top 1
check "top has no JSON" run 2 top --json 1

check "wait needs somebody to wait for" wrong 'no process is named' wait --timeout 1s
check "wait takes no time that is none" wrong "--timeout takes a time of more than 0, not 'soon'" wait --name x --timeout soon
check "wait takes no wrong expression" wrong 'no regular expression' wait --name '('
check "wait takes no variable without a name" wrong 'names no variable' wait --env =1
check "install needs a folder" wrong 'missing' install
check "install takes one folder" wrong 'too many' install a b

# with_room KIB COMMAND...: with so much room below small, unmounted whatever happens.
with_room() {
	mkdir -p "$folder/small" && mount -t tmpfs -o "size=$1k" none "$folder/small" || return 1
	shift
	"$@" && answer=0 || answer=1
	umount "$folder/small"
	return "$answer"
}
nothing_is_left() {
	run 1 install "$folder/small/one/two/" && err_says 'No space left on device' && err_says 'remedy: make room there' && silent out &&
		[ -z "$(ls "$folder/small")" ]
}
what_was_there_stays() {
	mkdir "$folder/small/mine" && run 1 install "$folder/small/mine/deeper" && [ "$(ls "$folder/small")" = mine ] &&
		[ -z "$(ls -A "$folder/small/mine")" ]
}
size=$(($(wc -c < "$roclatch") / 1024 + 16))
check "install where there is no room leaves nothing behind" with_room 512 nothing_is_left
check "install with room for the first file alone leaves nothing behind" with_room "$size" nothing_is_left
check "install that fails leaves what was there before" with_room 512 what_was_there_stays
remedy_of() {
	text=$1
	shift
	run 1 "$@" && err_says "$text" && silent out
}
check "report says which folder it wants" remedy_of 'remedy: name the folder that was given to' report "$folder/not-there"
check "a recording that is not there gets a remedy" remedy_of 'remedy: check the name' convert "$folder/not-there.db"

help_lists_all() {
	run 0 --help && silent err && out_says 'usage: roclatch COMMAND' && [ "$(wc -l < "$folder/said.out")" -le 40 ] &&
		[ "$(grep -c '^  roclatch ' "$folder/said.out")" = 3 ] || return 1
	for name in $("$roclatch" completion words -- '' | cut -f 1); do
		out_says "  $name " || { echo "$name is missing"; return 1; }
	done
}
help_of() {
	run 0 "$@" && silent err && out_says '[OPTION...] PID' && out_says '--trust-seccomp' &&
		out_says '-p, --pid PID' && out_says '-v, --version' && out_says '  6      time-out' &&
		out_says '  7      done, but something was left behind' && out_says '  128+n  ended by signal n'
}
version() { run 0 "$1" && silent err && grep -Eqx 'roclatch [0-9]+\.[0-9]+\.[0-9]+' "$folder/said.out"; }

check "--help has all commands and three examples in 40 lines on stdout" help_lists_all
for command in call inject eject; do
	check "$command --help is made from the tables" help_of "$command" --help
done
help_of_looking() {
	run 0 "$@" && silent err && out_says '[OPTION...]' && out_says '--debug-dir' && out_says '-p, --pid PID' && out_says '  6      time-out'
}
for command in threads stack sample top; do
	check "$command --help is made from the tables" help_of_looking "$command" --help
done
no_folder() { run 1 "$1" $$ --debug-dir "$folder/nowhere" && err_says "--debug-dir $folder/nowhere" && silent out; }
for command in threads stack sample; do
	check "$command says when a folder of debug files is not there" no_folder "$command"
done
check "help is a command too" help_of help call
convert_help() {
	run 0 "$@" && silent err && out_says 'usage: roclatch convert' && out_says '--output-format csv|json|pftrace|rocpd|html' && out_says '  6      time-out'
}
check "convert --help tells its formats and the statuses" convert_help convert --help
check "help convert is the same" convert_help help convert
same_help() {
	for name in $("$roclatch" completion words -- '' | cut -f 1); do
		"$roclatch" help "$name" > "$folder/one" && "$roclatch" "$name" --help > "$folder/other" && cmp "$folder/one" "$folder/other" || return 1
	done
}
help_is_narrow() {
	for name in '' $("$roclatch" completion words -- '' | cut -f 1); do
		"$roclatch" help ${name:+"$name"} | grep -nE '.{81}' && { echo "in help $name"; return 1; }
	done
	true
}
check "no help is wider than 80 columns" help_is_narrow
check "help and --help say the same" same_help
# Under AMD's names there are AMD's statuses, and the help has no others.
upstream_help() {
	ln -sf "$PWD/$roclatch" "$folder/rocprofv3" && said 0 "$folder/rocprofv3" --help && silent err && out_says 'usage: rocprofv3' &&
		out_says '  1      failed; stderr has the reason' && ! grep -E '^  [3-9] ' "$folder/said.out"
}
check "the help of rocprofv3 has its statuses" upstream_help
check "help takes one command" wrong 'help: too many arguments' help call stack
check "help of an unknown command gets the nearest" wrong 'did you mean detach?' help detahc
check "help of what is no command is told" wrong 'roclatch --help lists the commands' help --man frobnicate
check "completion needs a shell" wrong 'usage: roclatch completion [OPTION...] bash|zsh|fish' completion
check "completion takes one shell" wrong 'completion: too many arguments' completion bash zsh
check "an unknown shell gets the nearest" wrong 'did you mean bash?' completion bsah
check "a shell that is not known is told" wrong 'use bash, zsh or fish' completion powershell
check "another shell is not taken for a misspelt one" wrong 'use bash, zsh or fish' completion tcsh
check "-v is the version" version -v
check "--version is the version" version --version

json_for_wrong_usage() {
	run 2 --json call 1 libc && silent err && grep -Eqx '\{.*"error":\{"code":2,.*"status":2\}' "$folder/said.out"
}
json_is_seen_early() { run 2 call --jsn --json && silent err && out_says '"remedy":"did you mean --json?"'; }
check "wrong usage in JSON is one object on stdout" json_for_wrong_usage
check "--json counts although an option before it is wrong" json_is_seen_early

# Process ids stay below the limit of 4194304.
no_process() { run 3 call 4194304 libc getpid && err_says 'roclatch: ' && silent out; }
no_process_json() { run 3 call --json -p 4194304 libc getpid && silent err && out_says '"pid":4194304' && out_says '"status":3'; }
check "a process that is not there is status 3" no_process
check "a process that is not there is told in JSON" no_process_json

full_disk() {
	"$roclatch" --help > /dev/full 2> "$folder/said.err" && return 1
	err_says 'could not be written'
}
check "a full disk under stdout is noticed" full_disk

foreign_thread() { run 3 call $$ exe main --thread 1 && err_says "has no thread 1" && silent out; }
check "a thread of another process is refused at once" foreign_thread
