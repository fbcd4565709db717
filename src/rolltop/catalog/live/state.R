# Part of the R package and of the R side of the server: what an example sees here, a served tool sees there.

#' Make a state for tools
#'
#' What a tool finds in its parameter `.state_env`: values by key, kept between calls.
#'
#' @param initialize Named list, the values that the state begins with.
#' @return An environment with the functions `get(key, missing = NULL)`, `set(key, value)`, `has(key)`, `remove(keys)`, `keys()`,
#'   `reset()`, `clear()`, `size()` and `as_list()`.
#' @examples
#' state <- mcptool_state_factory(list(count = 1))
#' state$set("name", "Topaz")
#' state$keys()
#' @export
mcptool_state_factory <- function(initialize = list()) {
  values <- list2env(as.list(initialize), parent = emptyenv())
  order <- names(initialize)
  state <- new.env(parent = emptyenv())
  state$get <- function(key, missing = NULL) if (state$has(key)) get(key, envir = values, inherits = FALSE) else missing
  state$set <- function(key, value) {
    if (!state$has(key)) order <<- c(order, key)
    assign(key, value, envir = values)
    invisible(value)
  }
  state$has <- function(key) is.character(key) && length(key) == 1L && exists(key, envir = values, inherits = FALSE)
  state$remove <- function(keys) {
    present <- intersect(as.character(keys), order)
    rm(list = present, envir = values)
    order <<- setdiff(order, present)
    invisible(present)
  }
  state$keys <- function() as.character(order)
  state$reset <- function() state$remove(order)
  state$clear <- state$reset
  state$size <- function() length(order)
  state$as_list <- function() mget(as.character(order), envir = values)
  class(state) <- c("mcptool_state", "environment")
  state
}
