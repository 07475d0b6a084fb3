# SPDX-License-Identifier: Apache-2.0
import numpy
import xgboost

rng = numpy.random.default_rng(1)
x = rng.random((4000, 8))
y = x[:, 0] > 0.5
table = xgboost.DMatrix(x, y)
model = xgboost.train({"objective": "binary:logistic", "nthread": 2}, table, 10)
print(model.predict(table).sum())
