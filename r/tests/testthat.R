library(testthat)
library(rolltop)

test_check("rolltop")
