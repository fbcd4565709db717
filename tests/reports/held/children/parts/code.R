square <- function(n) n^2
square(12)
