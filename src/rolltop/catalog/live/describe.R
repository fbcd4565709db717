# Part of the R package and of the R side of the server: what an example sees here, a served tool sees there.

cut_lines <- function(lines, most, widest = 2000L) {
  lines <- unlist(lapply(lines, function(line) if (nzchar(line)) strsplit(line, "\n", fixed = TRUE)[[1L]] else ""))
  lines <- gsub("\033\\[[0-9;]*[A-Za-z]", "", lines)
  long <- nchar(lines, "chars", allowNA = TRUE) > widest
  long[is.na(long)] <- FALSE
  lines[long] <- paste0(substr(lines[long], 1L, widest), " ...")
  if (length(lines) <= most) return(lines)
  c(lines[seq_len(most)], sprintf("... and %d more lines", length(lines) - most))
}

printed <- function(x, max_print) {
  old <- options(max.print = max_print, width = 80L, digits = 7L, cli.num_colors = 1L, crayon.enabled = FALSE)
  on.exit(options(old))
  tryCatch(
    utils::capture.output(print(x)),
    error = function(e) paste0("<", paste(class(x), collapse = "/"), " that cannot be printed: ", conditionMessage(e), ">")
  )
}

#' Describe a value as text
#'
#' The form in which a model reads a result: short values as R code, others as they print, cut to a number of lines.
#'
#' @param x Any value.
#' @param max_print Integer, about how many lines or values to show.
#' @return Character vector, lines of text.
#' @examples
#' mcp_describe(head(iris))
#' @export
mcp_describe <- function(x, max_print = 100L) UseMethod("mcp_describe")

#' @export
mcp_describe.default <- function(x, max_print = 100L) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) {
    lines <- printed(x, max_print)
    return(cut_lines(lines[!grepl("^<(bytecode|environment)", lines)], max_print))
  }
  if (is.environment(x) && identical(class(x), "environment")) return(describe_environment(x))
  if (is.atomic(x) && is.null(attributes(x)) && length(x) == 1L) return(describe_scalar(x, max_print))
  cut_lines(printed(x, max_print), max_print)
}

describe_scalar <- function(x, max_print) {
  if (is.character(x)) {
    if (is.na(x)) return("NA")
    if (nchar(x, "bytes") < 200L) return(deparse(x))
    return(cut_lines(x, max_print))
  }
  if (is.integer(x) && !is.na(x)) return(paste0(format(x), "L"))
  format(x, digits = 7L)
}

describe_environment <- function(x) {
  names <- ls(x, all.names = TRUE)
  shown <- utils::head(names, 10L)
  more <- if (length(names) > 10L) sprintf(" and %d more", length(names) - 10L) else ""
  label <- environmentName(x)
  paste0("<environment", if (nzchar(label)) paste0(": ", label), "> ", length(names), " objects",
         if (length(shown)) paste0(": ", paste(shown, collapse = ", ")), more)
}

#' @export
mcp_describe.data.frame <- function(x, max_print = 100L) {
  rows <- min(nrow(x), max(5L, max_print %/% max(1L, min(ncol(x), 20L))))
  head <- sprintf("data frame with %d rows and %d columns: %s", nrow(x), ncol(x),
                  paste(utils::head(names(x), 30L), collapse = ", "))
  more <- if (rows < nrow(x)) sprintf("... and %d more rows", nrow(x) - rows)
  c(head, cut_lines(printed(as.data.frame(x)[seq_len(rows), , drop = FALSE], max(1000L, max_print * 20L)), max_print), more)
}

#' @export
mcp_describe.mcptool_state <- function(x, max_print = 100L) {
  paste0("<tool state> ", x$size(), " keys", if (x$size()) paste0(": ", paste(utils::head(x$keys(), 10L), collapse = ", ")))
}
