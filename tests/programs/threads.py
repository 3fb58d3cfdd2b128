# SPDX-License-Identifier: MIT
"""threads.py PORT WRONG: threads that compute, allocate and wait; answers "hello" over HTTP."""
import ctypes
import errno
import http.server
import os
import select
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
wrong = open(sys.argv[2], "a", 1)


def say(text):
    wrong.write(text + "\n")


def compute():
    want = sum(i * i for i in range(5000))
    while True:
        if sum(i * i for i in range(5000)) != want or 0.1 + 0.2 != 0.30000000000000004:
            say("wrong sum")
        time.sleep(0.01)


def allocate():
    while True:
        blocks = [bytes([i % 256]) * (1 + i * 37 % 9000) for i in range(200)]
        if any(b[0] != i % 256 or b[-1] != i % 256 for i, b in enumerate(blocks)):
            say("wrong block")
        time.sleep(0.002)


class timespec(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_long), ("nsec", ctypes.c_long)]


def wait(name, msec, call):
    """Python itself repeats a call that ended with EINTR; ctypes shows it."""
    while True:
        start = time.monotonic()
        ctypes.set_errno(0)
        result = call()
        took = (time.monotonic() - start) * 1000
        if result != 0:
            say(f"{name} returned {result}, {errno.errorcode.get(ctypes.get_errno(), '-')}")
        elif took < msec - 1:
            say(f"{name} ended after {took:.2f} of {msec} ms")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def handle(self):
        try:
            super().handle()
        except ConnectionError:     # the client went
            pass

    def log_message(self, *args):
        pass


def main():
    nap = timespec(0, 50000000)
    pipe, _ = os.pipe()
    watched = select.epoll()
    events = ctypes.create_string_buffer(64)
    works = [compute, compute, allocate]
    works.append(lambda: wait("nanosleep", 50, lambda: libc.nanosleep(ctypes.byref(nap), None)))
    works.append(lambda: wait("poll", 50, lambda: libc.poll(ctypes.byref(ctypes.c_uint64(pipe | 1 << 32)), 1, 50)))
    works.append(lambda: wait("epoll_wait", 50, lambda: libc.epoll_wait(watched.fileno(), events, 1, 50)))
    for work in works:
        threading.Thread(target=work, daemon=True).start()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    server.serve_forever()


main()
