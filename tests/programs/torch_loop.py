# SPDX-License-Identifier: MIT
"""Multiply on the GPU until told to stop; every product is checked. Says "ready", then counts."""
import signal
import sys
import threading
import time

import torch

stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
torch.manual_seed(1)
a = torch.randint(0, 8, (512, 512), device="cuda").float()
b = torch.randint(0, 8, (512, 512), device="cuda").float()
want = a @ b
host = torch.randn(256, 256)
host_want = host @ host
print("ready", torch.cuda.get_device_name(), threading.active_count(), flush=True)
rounds, wrong, longest = 0, 0, 0.0
while not stopping.is_set():
    begin = time.monotonic()
    if not torch.equal(a @ b, want) or not torch.equal(host @ host, host_want):
        wrong += 1
    longest = max(longest, time.monotonic() - begin)
    rounds += 1
print("rounds", rounds, "wrong", wrong, "longest_ms", round(longest * 1e3, 2), flush=True)
sys.exit(wrong != 0)
