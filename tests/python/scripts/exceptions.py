# SPDX-License-Identifier: Apache-2.0
"""Frames that exceptions have left."""
from library import lib


def fails(depth):
    if depth == 0:
        lib.work(0.02)  # share 3
        raise ValueError
    fails(depth - 1)


for turn in range(5):
    try:
        fails(turn * 7)
    except ValueError:
        lib.work(0.04)  # share 6
    finally:
        lib.work(0.02)  # share 3
