# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# Go without a C library: refused with a reason.  With cgo it has one, and stacks of 2 to 8 KiB.

go_program() {
	local port pid
	port=$(free_port)
	cp "$here/server.go" "$dir/main.go"
	(cd "$dir" && HOME=$dir GOFLAGS=-mod=mod GOCACHE=$dir/cache CGO_ENABLED=$2 go build -o "$1" main.go) > "$dir/$1.build" 2>&1 ||
		{ tail -n 3 "$dir/$1.build"; return 1; }
	"$dir/$1" "$port" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask http "$port"; }
	trial "$1" $pid
	kill $pid
}

run() {
	install go golang-go || return 1
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=40 slack_rss=40000
	expect=refused
	go_program go-static 0 || return 1
	expect=
	go_program go-cgo 1
}
