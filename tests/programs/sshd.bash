# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# sshd: the listener while clients log in, and the process of a login.

run() {
	install /usr/sbin/sshd openssh-server ssh openssh-client || return 1
	[ "$(id -u)" = 0 ] || { echo "# sshd needs root"; return 1; }
	local port pid login
	port=$(free_port)
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$dir/host" && ssh-keygen -q -t ed25519 -N '' -f "$dir/user" || return 1
	cat > "$dir/conf" <<-END
		ListenAddress 127.0.0.1:$port
		HostKey $dir/host
		AuthorizedKeysFile $dir/user.pub
		PidFile none
		StrictModes no
		UsePAM no
		PermitRootLogin yes
		LogLevel INFO
	END
	/usr/sbin/sshd -D -e -f "$dir/conf" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	local ssh=(ssh -F none -i "$dir/user" -p "$port" -o StrictHostKeyChecking=no -o "UserKnownHostsFile=$dir/known"
		-o LogLevel=ERROR root@127.0.0.1)
	load() {
		local start usec
		while :; do
			start=${EPOCHREALTIME/./}
			[ "$("${ssh[@]}" echo word 2>> "$dir/wrong")" = word ] || echo "login failed" >> "$dir/wrong"
			usec=$((${EPOCHREALTIME/./} - start))
			printf '%d.%03d\n' $((usec / 1000)) $((usec % 1000)) >> "$dir/beat"
		done
	}
	wrong() { cat "$dir/wrong" 2> /dev/null; grep -iE 'error|fatal|Interrupted' "$dir/log"; }
	slack_fds=4
	trial sshd "$pid"
	sleep 1
	unset -f load
	: > "$dir/beat"
	# shellcheck disable=SC2016 # it is expanded there
	"${ssh[@]}" 'while :; do echo 0; sleep 0.02; done' >> "$dir/beat" 2>> "$dir/wrong" &
	until_ok test -s "$dir/beat" || return 1
	login=$(child_of "$pid")
	trial sshd-login "$login"
}
