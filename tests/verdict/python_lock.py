# SPDX-License-Identifier: Apache-2.0
"""Python threads that count, beside a region of LIBRARY: the first one waits for Python's one lock."""
import ctypes
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[1])
library.other_region()
END = time.monotonic() + 3


def count():
    number = 0
    while time.monotonic() < END:
        for _ in range(20000):
            number += 1


others = [threading.Thread(target=count) for _ in range(2)]
for other in others:
    other.start()
count()
for other in others:
    other.join()
