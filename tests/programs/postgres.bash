# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# postgres: the postmaster and one backend, with pgbench beside it.

run() {
	install '/usr/lib/postgresql/*/bin/postgres' postgresql pgbench postgresql-contrib || return 1
	local bin pid backend as=()
	bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/postgres' | tail -n 1)")
	if [ "$(id -u)" = 0 ]; then
		as=(setpriv --reuid postgres --regid postgres --clear-groups)
		chown postgres "$dir"
	fi
	"${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust > "$dir/initdb.log" 2>&1 || return 1
	"${as[@]}" "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c max_parallel_workers=0 \
		> "$dir/log" 2>&1 &
	pid=$!
	local socket=$dir/.s.PGSQL.5432
	until_ok psql -h "$dir" -U postgres -c 'select 1' postgres || return 1
	pgbench -h "$dir" -U postgres -i -q postgres > "$dir/pgbench.log" 2>&1 || return 1
	(while pgbench -n -h "$dir" -U postgres -c 2 -R 100 -T 10 postgres; do :; done) >> "$dir/pgbench.log" 2>&1 &
	load() { ask postgres "$socket"; }
	wrong() {
		cat "$dir/wrong" 2> /dev/null
		grep -E 'WARNING|ERROR|FATAL|PANIC|terminated|Interrupted' "$dir/log" | grep -vE 'starting up|connection to client lost'
		grep -iE 'failed: [1-9]|error|aborted' "$dir/pgbench.log" | grep -v 'failed transactions: 0'
	}
	slack_maps=8 slack_fds=40 slack_rss=16384
	trial postmaster "$pid"

	# a connection of its own, which stays
	(ask postgres "$socket") &
	sleep 1
	backend=$(psql -h "$dir" -U postgres -Atc "select pid from pg_stat_activity where application_name = 'client'" postgres)
	unset -f load
	trial postgres-backend "$backend"
}
