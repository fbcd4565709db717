helper <- function(n) {
  # doubles
  2 * n
}
