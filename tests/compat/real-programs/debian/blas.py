# SPDX-License-Identifier: Apache-2.0
import numpy

rng = numpy.random.default_rng(1)
a = rng.random((500, 500))
for _ in range(6):
    b = a @ a
print(b.sum(), b[3, 5])
