# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# java: an HTTP server while threads allocate and lock.

run() {
	install javac default-jdk-headless || return 1
	local port pid
	port=$(free_port)
	javac -d "$dir" "$here/Server.java" > "$dir/javac.log" 2>&1 || return 1
	java -Dsun.net.httpserver.nodelay=true -XX:-UsePerfData -Xmx128m -cp "$dir" Server "$port" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=100 slack_fds=4 slack_rss=120000
	BASE_SECONDS=15 # until the compilers have done most of their work
	trial java $pid
}
