# SPDX-License-Identifier: Apache-2.0
"""Generators, comprehensions, coroutines and lambdas: their frames lie elsewhere."""
from library import lib


def parts():
    for _ in range(3):
        lib.work(0.05)  # share 3
        yield 1


async def later():
    lib.work(0.1)  # share 2


def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        pass


sum(parts())
drive(later())
[lib.work(0.05) for _ in range(2)]  # share 2
list(map(lambda _: lib.work(0.05), range(3)))  # share 3
