# For catalog_calls.py: functions of installed packages with their help, and the calls that their examples make with
# constants. One JSON line per function.
literal <- function(e) {
  if (is.null(e) || is.symbol(e)) return(NULL)
  if (is.atomic(e) && length(e) == 1L && !is.na(e) && is.null(attributes(e))) return(e)
  if (!is.call(e) || !is.symbol(e[[1L]])) return(NULL)
  name <- as.character(e[[1L]])
  if (!name %in% c("c", "list", "-", ":")) return(NULL)
  parts <- lapply(as.list(e)[-1L], function(part) if (missing(part)) NULL else literal(part))
  if (any(vapply(parts, is.null, NA))) return(NULL)
  value <- tryCatch(eval(e, baseenv()), error = function(x) NULL)
  if (length(value) > 100L || anyNA(value, recursive = TRUE)) NULL else value
}
calls_of <- function(e, name, f) {
  found <- list()
  look <- function(e) {
    if (!is.call(e)) return(invisible())
    head <- e[[1L]]
    if (is.call(head) && length(head) == 3L && identical(head[[1L]], quote(`::`))) head <- head[[3L]]
    if (is.symbol(head) && identical(as.character(head), name)) {
      matched <- tryCatch(match.call(f, e, expand.dots = FALSE), error = function(x) NULL)
      if (!is.null(matched)) {
        arguments <- as.list(matched)[-1L]
        arguments[["..."]] <- NULL
        values <- lapply(arguments, function(a) if (missing(a)) NULL else literal(a))
        values <- values[!vapply(values, is.null, NA)]
        if (length(values)) found[[length(found) + 1L]] <<- values
      }
    }
    lapply(as.list(e), function(part) if (!missing(part) && is.call(part)) look(part))
    invisible()
  }
  look(e)
  found
}
section <- function(rd, tag) {
  for (part in rd) if (identical(attr(part, "Rd_tag"), tag)) return(part)
  NULL
}
as_rd <- function(x) { class(x) <- "Rd"; paste(as.character(x, deparse = FALSE), collapse = "") }
for (package in commandArgs(TRUE)) {
  pages <- tools::Rd_db(package)
  space <- asNamespace(package)
  for (rd in pages) {
    tags <- vapply(rd, function(x) attr(x, "Rd_tag"), "")
    usage <- section(rd, "\\usage"); arguments <- section(rd, "\\arguments")
    if (is.null(usage) || is.null(arguments)) next
    items <- Filter(function(x) identical(attr(x, "Rd_tag"), "\\item") && length(x) == 2L, arguments)
    texts <- lapply(items, function(x) list(names = as_rd(x[[1L]]), text = as_rd(x[[2L]])))
    code <- tempfile()
    tryCatch(tools::Rd2ex(rd, code, commentDontrun = FALSE), error = function(x) NULL)
    if (!file.exists(code)) next
    parsed <- tryCatch(parse(code, keep.source = FALSE), error = function(x) NULL)
    examples <- paste(readLines(code, warn = FALSE), collapse = "\n")
    unlink(code)
    aliases <- vapply(rd[tags == "\\alias"], function(x) paste(unlist(x), collapse = ""), "")
    for (name in unique(aliases)) {
      if (!exists(name, envir = space, inherits = FALSE)) next
      f <- get(name, envir = space)
      if (!is.function(f) || is.primitive(f)) next
      calls <- unlist(lapply(as.list(parsed), calls_of, name, f), recursive = FALSE)
      if (!length(calls)) next
      signature <- paste(deparse(args(f)), collapse = "\n")
      body <- paste(deparse(body(f)), collapse = "\n")
      cat(jsonlite::toJSON(list(package = package, name = name, signature = signature, body = body, arguments = texts,
        calls = lapply(calls, as.list)), auto_unbox = TRUE, digits = NA, null = "null"), "\n", sep = "")
    }
  }
}
