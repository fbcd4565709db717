#' Echo
#' @param x Any value
#' @keywords mcp-tool
echo <- function(x = NULL, .state_env = NULL) x
#' Integers
#' @param n Integer[]. N
#' @param v Numeric vector. V
#' @param s Character[]. S
#' @keywords mcp-tool
types <- function(n = integer(), v = 0, s = character()) list(n = class(n), v = class(v), s = class(s), len = length(s))
#' Kinds of values
#' @param kind Character. Kind
#' @keywords mcp-tool
kinds <- function(kind) switch(kind,
  named = c(a = 1, b = 2), factor = factor(c("x", "y")), frame = data.frame(a = 1:2, b = c("p", NA)), date = as.Date("2026-01-02"),
  model = stats::lm(dist ~ speed, datasets::cars), fun = function(x) x + 1, env = new.env(), null = NULL,
  nested = list(a = list(b = 1:3), c = "d"), inf = c(1, Inf, NA), matrix = matrix(1:4, 2), long = as.list(1:5000))
#' Trouble
#' @param kind Character. Kind
#' @keywords mcp-tool
trouble <- function(kind) switch(kind,
  error = stop("went wrong"), loop = while (TRUE) {}, crash = tools::pskill(Sys.getpid(), 9), quit = quit("no"),
  net = readLines(url("http://127.0.0.1:9/")), read = readLines("/etc/shadow"), write = writeLines("x", "/package/R/tools.R"),
  print = { cat("\n{\"fake\": 1}\n"); message("note"); warning("careful"); 1 })
#' Count
#' @keywords mcp-tool
count <- function(.state_env = NULL) { .state_env$set("n", .state_env$get("n", 0) + 1); .state_env$get("n") }
#' State methods
#' @keywords mcp-tool
methods_ <- function(.state_env = NULL) {
  s <- .state_env; s$set("a", 1); s$set("b", NULL); r <- list(has = s$has("b"), size = s$size(), keys = s$keys(), missing = s$get("z", 7))
  s$remove("a"); r$after <- s$keys(); r$list <- names(s$as_list()); s$clear(); r$cleared <- s$size(); s$reset(); r
}
#' Plot
#' @keywords mcp-tool
draw <- function() { plot(1:3); plot(3:1); invisible(1) }

#' Rows
#' @param df Data frame. Rows
#' @return Data frame. The same rows
#' @keywords mcp-tool
rows <- function(df) {
  stopifnot(is.data.frame(df))
  df
}
#' Range
#' @param r Numeric of length 2. The range
#' @param limit The largest value shown
#' @keywords mcp-tool
range_ <- function(r, limit = Inf) list(width = diff(r), limit = class(limit))
