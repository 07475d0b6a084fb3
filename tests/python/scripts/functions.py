# SPDX-License-Identifier: Apache-2.0
"""Three lines of two functions, of which one calls the other."""
from library import lib


def assemble():
    lib.work(0.05)  # share 4


def solve(last):
    for _ in range(4):
        lib.work(0.05)  # share 8
    if last:
        assemble()
    lib.work(
        0.1)  # share 4 from the line before


for step in range(2):
    assemble()
    solve(True)
