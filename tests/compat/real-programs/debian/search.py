# SPDX-License-Identifier: Apache-2.0
import faiss
import numpy

rng = numpy.random.default_rng(1)
x = rng.random((20000, 32)).astype("float32")
index = faiss.IndexFlatL2(32)
index.add(x)
distances, places = index.search(x[:500], 5)
print(places.sum())
