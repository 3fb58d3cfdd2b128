# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# nginx: the worker under load, and the master, which waits for signals.

run() {
	install nginx nginx-light || return 1
	local port master worker
	port=$(free_port)
	mkdir "$dir/html"
	printf hello > "$dir/html/hello"
	cat > "$dir/conf" <<-END
		daemon off; worker_processes 1; pid $dir/pid; error_log $dir/log info;
		events { worker_connections 64; }
		http {
			access_log off; keepalive_requests 1000000000;
			client_body_temp_path $dir/t1; proxy_temp_path $dir/t2; fastcgi_temp_path $dir/t3;
			uwsgi_temp_path $dir/t4; scgi_temp_path $dir/t5;
			server { listen 127.0.0.1:$port; root $dir/html; }
		}
	END
	nginx -p "$dir" -c "$dir/conf" -e "$dir/log" > "$dir/out" 2>&1 &
	master=$!
	until_ok answers "$port" || return 1
	worker=$(child_of "$master")
	load() { ask http "$port"; }
	wrong() {
		cat "$dir/wrong" "$dir/out" 2> /dev/null
		grep -E '\[(warn|error|crit|alert|emerg)\]|exited' "$dir/log"
		# Any stop ends epoll_wait, and a killed roclatch cannot make the call again.
		[ "$killed" ] || grep Interrupted "$dir/log"
	}
	trial nginx-worker "$worker"
	trial nginx-master "$master"
}
