# SPDX-License-Identifier: Apache-2.0
"""Python calls native code, which calls Python: frames of both keep their order."""
from library import VOID, lib


def inner():
    lib.work(0.1)  # share 4


def outer():
    lib.call_back(called)


called = VOID(inner)
for _ in range(4):
    outer()
# path outer between.py:11 > call_back > inner between.py:7 > work
