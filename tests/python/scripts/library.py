# SPDX-License-Identifier: Apache-2.0
"""The library of work.c, for the scripts. Its functions are called without anything in between."""
import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1])
lib.work.argtypes = [ctypes.c_double]
lib.many_regions.argtypes = [ctypes.c_int]
VOID = ctypes.CFUNCTYPE(None)
lib.call_back.argtypes = [VOID]
