# SPDX-License-Identifier: MIT
"""asyncio_loop.py PORT WRONG: an event loop with timers and a pool; answers "hello" over HTTP."""
import asyncio
import concurrent.futures
import sys
import time


async def answer(reader, writer):
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def timers(wrong):
    while True:
        start = time.monotonic()
        await asyncio.gather(*(asyncio.sleep(0.01 * i) for i in range(5)))
        if time.monotonic() - start < 0.039:
            wrong.write("a timer was early\n")


async def pool(wrong):
    one = concurrent.futures.ThreadPoolExecutor(1)
    while True:
        if await asyncio.get_running_loop().run_in_executor(one, sum, range(20000)) != 199990000:
            wrong.write("wrong sum\n")
        await asyncio.sleep(0.005)


async def main(port, wrong):
    server = await asyncio.start_server(answer, "127.0.0.1", int(port))
    with open(wrong, "a", 1) as file:
        await asyncio.gather(server.serve_forever(), timers(file), pool(file))


asyncio.run(main(*sys.argv[1:]))
