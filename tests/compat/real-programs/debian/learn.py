# SPDX-License-Identifier: Apache-2.0
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier

rng = numpy.random.default_rng(1)
x = rng.random((3000, 8))
print(round(float(KMeans(8, n_init=2, random_state=1).fit(x).inertia_), 6))
y = x[:, 0] > 0.5
print(HistGradientBoostingClassifier(max_iter=10, random_state=1).fit(x, y).score(x, y))
