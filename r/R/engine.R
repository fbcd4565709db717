# The program that does the work, and how it is asked.

program <- function() {
  path <- getOption("rolltop.program", Sys.getenv("ROLLTOP_PROGRAM", "rolltop"))
  found <- Sys.which(path)
  if (!nzchar(found)) {
    stop("the program 'rolltop' was not found: install it, or name it with options(rolltop.program = \"/path/to/rolltop\")",
         call. = FALSE)
  }
  unname(found)
}

# The answer of `rolltop catalog ... --json`, as R reads it. A failure is an error with what the program said.
engine <- function(...) {
  said <- tempfile()
  on.exit(unlink(said))
  arguments <- c("catalog", ..., "--json")
  output <- suppressWarnings(system2(program(), shQuote(arguments), stdout = TRUE, stderr = said))
  if (!is.null(attr(output, "status"))) stop(paste(readLines(said, warn = FALSE), collapse = "\n"), call. = FALSE)
  jsonlite::fromJSON(paste(output, collapse = "\n"), simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
}

groups_of <- function(groups) {
  if (is.null(groups)) return(character())
  stopifnot(is.character(groups), !anyNA(groups))
  as.vector(rbind("--group", groups))
}
