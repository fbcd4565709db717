greeting <- function() "Hello from a sourced file."
