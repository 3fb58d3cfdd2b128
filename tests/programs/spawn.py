# SPDX-License-Identifier: MIT
"""spawn.py BEAT WRONG: vfork and exec, fork, and pipes, with checked results."""
import os
import subprocess
import sys
import time

with open(sys.argv[1], "a", 1) as beat, open(sys.argv[2], "a", 1) as wrong:
    while True:
        start = time.monotonic()
        done = subprocess.run(["/bin/echo", "word"], capture_output=True, check=False)
        if done.returncode != 0 or done.stdout != b"word\n":
            wrong.write(f"echo: {done}\n")
        child = os.fork()
        if child == 0:
            os._exit(7)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 7:
            wrong.write("fork: wrong status\n")
        beat.write(f"{(time.monotonic() - start) * 1000:.3f}\n")
        time.sleep(0.005)
