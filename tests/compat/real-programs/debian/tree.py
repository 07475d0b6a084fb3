# SPDX-License-Identifier: Apache-2.0
import numpy
from pykdtree.kdtree import KDTree

rng = numpy.random.default_rng(1)
x = rng.random((100000, 3))
distances, places = KDTree(x).query(x, k=4)
print(distances.sum(), places.sum())
