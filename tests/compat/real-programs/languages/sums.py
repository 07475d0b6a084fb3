# SPDX-License-Identifier: Apache-2.0
"""A loop that numba makes while it runs, on its layer of OpenMP."""

import numba


@numba.njit(parallel=True)
def sum_of_squares(count):
    total = 0
    for i in numba.prange(count):
        total += i * i % 7
    return total


print([sum_of_squares(500000 * k) for k in range(1, 50)][-1], numba.threading_layer())
