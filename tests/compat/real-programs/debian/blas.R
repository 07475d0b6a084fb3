# SPDX-License-Identifier: Apache-2.0
set.seed(1)
a <- matrix(runif(500 * 500), 500)
for (i in 1:6) b <- a %*% a
cat(format(sum(b), digits = 17), "\n")
