# SPDX-License-Identifier: Apache-2.0
"""Two threads of Python, each with regions of its own: ctypes gives the lock away."""
from concurrent.futures import ThreadPoolExecutor
from library import lib


def first():
    for _ in range(6):
        lib.work(0.05)  # share 6


def second():
    for _ in range(6):
        lib.work(0.05)  # share 6


lib.work(0.01)
with ThreadPoolExecutor(2) as pool:
    for job in [pool.submit(first), pool.submit(second)]:
        job.result()
