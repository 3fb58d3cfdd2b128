# SPDX-License-Identifier: MIT
"""client.py KIND ADDRESS BEAT WRONG: ask a server again and again over one connection.

KIND is http, redis or postgres; ADDRESS a port of 127.0.0.1 or a path of a socket.
Each answer is a line in BEAT, the milliseconds that it took; each failure one in WRONG.
"""
import socket
import struct
import sys
import time


def connect(address):
    if "/" in address:
        s = socket.socket(socket.AF_UNIX)
        s.connect(address)
        return s
    return socket.create_connection(("127.0.0.1", int(address)), timeout=20)


def receive(s, size):
    data = b""
    while len(data) < size:
        more = s.recv(size - len(data))
        if not more:
            raise OSError("the server closed the connection")
        data += more
    return data


def http(s, n):
    s.sendall(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += receive(s, 1)
    status = head.split(b"\r\n")[0]
    size = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    body = receive(s, size[0])
    if b" 200 " not in status or body != b"hello":
        raise ValueError(f"{status!r} {body!r}")


def redis(s, n):
    value = b"%032d" % n
    s.sendall(b"SET k %b\r\nGET k\r\n" % value)
    answer = receive(s, 5 + 5 + 34)
    if answer != b"+OK\r\n$32\r\n" + value + b"\r\n":
        raise ValueError(repr(answer))


def postgres_message(s):
    kind, size = struct.unpack("!cI", receive(s, 5))
    return kind, receive(s, size - 4)


def postgres(s, n):
    if n == 0:
        hello = struct.pack("!I", 3 << 16) + b"user\0postgres\0database\0postgres\0application_name\0client\0\0"
        s.sendall(struct.pack("!I", len(hello) + 4) + hello)
    else:
        query = b"select count(*) + %d from pg_class where relname = 'pg_class'\0" % n
        s.sendall(b"Q" + struct.pack("!I", len(query) + 4) + query)
    rows = []
    while True:
        kind, body = postgres_message(s)
        if kind == b"E":
            raise ValueError(repr(body))
        if kind == b"D":
            rows.append(body[6:])
        if kind == b"Z":
            break
    if n and rows != [b"%d" % (n + 1)]:
        raise ValueError(repr(rows))


def main(kind, address, beat, wrong):
    ask = {"http": http, "redis": redis, "postgres": postgres}[kind]
    s, n = None, 0
    with open(beat, "a", 1) as beats, open(wrong, "a", 1) as wrongs:
        while True:
            start = time.monotonic()
            try:
                if s is None:
                    s, n = connect(address), 0
                ask(s, n)
                beats.write(f"{(time.monotonic() - start) * 1000:.3f}\n")
                n += 1
            except (OSError, ValueError) as e:
                wrongs.write(f"request {n}: {e}\n")
                s = None
                time.sleep(0.1)
            time.sleep(0.001)


main(*sys.argv[1:])
