# SPDX-License-Identifier: Apache-2.0
"""Whatever moves frames: threads that come and go, collections, tracing, generators, exceptions,
deep calls, code that is made and freed, and a child of fork (without OpenMP, which libgomp's pool of
threads does not allow there)."""
import gc
import os
import sys
import threading
from library import lib

TURNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20


def trace(frame, event, argument):
    return trace


def generator(depth):
    if depth > 0:
        yield from generator(depth - 1)
    lib.many_regions(3)
    yield depth


def deep(depth):
    if depth == 0:
        lib.many_regions(2)
        raise KeyError(depth)
    deep(depth - 1)


def turn(number):
    sys.settrace(trace if number % 3 == 0 else None)
    exec(compile(f"lib.many_regions(2)\nx{number} = [i for i in range(50)]", f"<{number}>", "exec"),
         {"lib": lib})
    list(generator(number % 20))
    try:
        deep(number * 37 % 900)
    except KeyError:
        pass
    sys.settrace(None)
    if number % 5 == 0:
        gc.collect()


def run():
    for number in range(TURNS):
        turn(number)


sys.setrecursionlimit(3000)
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
run()
for thread in threads:
    thread.join()
child = os.fork()
if child == 0:
    gc.collect()
    os._exit(0)
os.waitpid(child, 0)
