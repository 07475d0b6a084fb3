# SPDX-License-Identifier: Apache-2.0
"""A function that calls itself ten thousand times before it works."""
import sys
from library import lib

sys.setrecursionlimit(20000)


def down(depth):
    if depth == 0:
        for _ in range(8):
            lib.work(0.05)  # share 8
    else:
        down(depth - 1)


down(10000)
