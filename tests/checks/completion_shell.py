# SPDX-License-Identifier: MIT
"""completion_shell.py SHELL SCRIPT FOLDER: type each line of stdin into the real shell, on a terminal, ask it to insert all
completions, and write these, sorted, one in a line, into FOLDER/1, FOLDER/2, ..."""
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time

LIMIT = 120     # seconds for one answer, on a machine that is busy

BASH = r"""
bind '"\C-t": insert-completions'
typed() { printf '%s\n' "$@" > "$ANSWER.new"; mv "$ANSWER.new" "$ANSWER"; }
"""
ZSH = r"""
autoload -Uz compinit && compinit -u -D
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
zle -C all-matches complete-word _generic
bindkey -e
bindkey '^T' all-matches
typed() { print -rl -- "$@" > $ANSWER.new; mv $ANSWER.new $ANSWER }
"""


class Terminal:
	"""A shell that reads what we type."""

	def __init__(self, shell, script, folder):
		self.answer = os.path.join(folder, "answer")
		setup = os.path.join(folder, "setup")
		with open(setup, "w") as file:
			file.write((BASH if shell == "bash" else ZSH) + f"source {shlex.quote(script)}\n")
		command = ["bash", "--norc", "--noprofile", "-i"] if shell == "bash" else ["zsh", "-f", "-i"]
		self.pid, self.fd = pty.fork()
		if not self.pid:
			os.environ.update(ANSWER=self.answer, HISTFILE="/dev/null", TERM="dumb", PS1="", COLUMNS="20000")
			os.execvp(command[0], command)
		self.ask(f". {shlex.quote(setup)}; typed ready", "")

	def ask(self, line, keys="\x14\x01typed "):
		os.write(self.fd, (line + keys + "\n").encode())
		end = time.monotonic() + LIMIT
		while not os.path.exists(self.answer):
			if time.monotonic() > end:
				raise SystemExit(f"no answer to {line!r}")
			if select.select([self.fd], [], [], 0.02)[0]:
				try:
					os.read(self.fd, 65536)
				except OSError:
					raise SystemExit(f"the shell has ended at {line!r}") from None
		with open(self.answer) as file:
			words = file.read().splitlines()
		os.unlink(self.answer)
		return words

	def close(self):
		os.kill(self.pid, signal.SIGKILL)
		os.waitpid(self.pid, 0)


def of_fish(script, line):
	said = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line], check=True,
			      timeout=LIMIT, stdout=subprocess.PIPE, text=True).stdout
	return [row.split("\t")[0] for row in said.splitlines()]


def main():
	shell, script, folder = sys.argv[1:]
	lines = sys.stdin.read().splitlines()
	terminal = None if shell == "fish" else Terminal(shell, script, folder)
	try:
		for number, line in enumerate(lines, 1):
			before = len(shlex.split(line)) - (not line.endswith(" "))
			found = of_fish(script, line) if shell == "fish" else terminal.ask(line)[before:]
			with open(os.path.join(folder, str(number)), "w") as file:
				file.writelines(word + "\n" for word in sorted(found))
	finally:
		if terminal:
			terminal.close()


main()
