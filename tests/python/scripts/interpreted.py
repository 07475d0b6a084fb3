# SPDX-License-Identifier: Apache-2.0
"""Serial time in Python itself, and asleep."""
import time
from library import lib


def count(numbers):
    total = 0
    for number in numbers:  # serial
        total += number * number  # serial
    return total


def wait():
    time.sleep(0.3)  # serial


lib.work(0.01)
for _ in range(4):
    end = time.monotonic() + 0.1
    while time.monotonic() < end:  # serial
        count(range(20000))
wait()
