# SPDX-License-Identifier: Apache-2.0
import numpy
import ot

rng = numpy.random.default_rng(1)
a = numpy.ones(200) / 200
cost = rng.random((200, 200))
print(ot.emd2(a, a, cost, numThreads=2))
