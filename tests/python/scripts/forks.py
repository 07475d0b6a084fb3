# SPDX-License-Identifier: Apache-2.0
"""A child of fork goes on where its parent was."""
import os
from library import lib


def child():
    lib.work(0.2)


def parent():
    lib.work(0.2)  # share 4


parent()
number = os.fork()
if number == 0:
    child()
    os._exit(0)
os.waitpid(number, 0)
parent()
