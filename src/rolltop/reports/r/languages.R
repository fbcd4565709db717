# Chunks in Python and SQL: one Python process per document, started by the first of them, inside the same sandbox and
# under the same limits as R. Python chunks go to reticulate where it is installed; SQL chunks without a connection of
# their own to DuckDB.

interpreter <- new.env()

use_own_languages <- function() {
  interpreter$sql <- knitr::knit_engines$get("sql")
  knitr::knit_engines$set(sql = sql_engine)
  if (!nzchar(system.file(package = "reticulate"))) knitr::knit_engines$set(python = python_engine)
}

# Starts the process; its answers come by a pipe with a name, which the shell answers by if Python cannot start.
start_interpreter <- function() {
  need_program("python3")
  script <- our_file("interpreter.py")
  answers <- our_file("answers")
  writeLines(interpreter_code, script, useBytes = TRUE)
  if (system2("mkfifo", shQuote(answers)) != 0) stop("no pipe for Python could be made", call. = FALSE)
  command <- paste("python3 -B -X utf8", shQuote(script), shQuote(answers), "|| echo '{\"ended\":true}' >", shQuote(answers))
  interpreter$requests <- pipe(command, "w", encoding = "UTF-8")
  interpreter$answers <- fifo(answers, "r", blocking = TRUE, encoding = "UTF-8")
}

end_interpreter <- function() {
  for (connection in list(interpreter$requests, interpreter$answers)) if (!is.null(connection)) try(close(connection), silent = TRUE)
  interpreter$requests <- interpreter$answers <- NULL
}

ask_interpreter <- function(language, code, ...) {
  if (is.null(interpreter$requests)) start_interpreter()
  request <- list(language = jsonlite::unbox(language), code = jsonlite::unbox(paste(code, collapse = "\n")), ...)
  ended <- function(e) list(ended = TRUE)
  answer <- tryCatch({
    writeLines(jsonlite::toJSON(request, null = "null", digits = NA), interpreter$requests, useBytes = TRUE)
    flush(interpreter$requests)
    line <- readLines(interpreter$answers, 1L, warn = FALSE)
    if (length(line)) jsonlite::parse_json(line, simplifyVector = FALSE) else list(ended = TRUE)
  }, error = ended)
  if (isTRUE(answer$ended)) {
    end_interpreter()
    stop("the Python process ended: the code ended it (sys.exit, a crash), or it used more than it is allowed", call. = FALSE)
  }
  answer
}

python_engine <- function(options) {
  if (isFALSE(options$eval)) return(knitr::engine_output(options, options$code, ""))
  figure <- paste0(options$fig.path, options$label, "-")
  answer <- ask_interpreter("python", options$code, figure = jsonlite::unbox(figure), dpi = jsonlite::unbox(options$dpi))
  errors <- unlist(lapply(answer$steps, function(step) step$error))
  if (length(errors) && !isTRUE(options$error)) stop(errors[[1]], call. = FALSE)
  pieces <- list()
  for (step in answer$steps) {
    if (nzchar(step$code) && !isFALSE(options$echo)) pieces <- c(pieces, list(structure(list(src = step$code), class = "source")))
    text <- c(step$text, step$error)
    text <- paste(text[nzchar(text)], collapse = "\n")
    if (nzchar(text) && !identical(options$results, "hide")) pieces <- c(pieces, list(text))
  }
  shown <- !identical(options$fig.show, "hide")
  if (shown) for (path in answer$figures) pieces <- c(pieces, list(knitr::include_graphics(path)))
  knitr::engine_output(options, out = pieces)
}

MOST_ROWS <- 100000L

sql_engine <- function(options) {
  if (!is.null(options$connection) || isFALSE(options$eval)) return(interpreter$sql(options))
  code <- paste(options$code, collapse = "\n")
  most <- if (is.null(options$output.var)) shown_rows(options) + 1L else MOST_ROWS
  answer <- ask_interpreter("sql", code, frames = frames_named(code), most = jsonlite::unbox(most))
  if (!is.null(answer$missing)) {
    stop("SQL chunks need DuckDB, and the Python of the sandbox has none that it can load (", answer$missing, ")", call. = FALSE)
  }
  failed <- answer$error
  if (!is.null(failed) && !isTRUE(options$error)) stop(failed, call. = FALSE)
  table <- as_table(answer$columns)
  if (!is.null(options$output.var)) assign(options$output.var, table, envir = knitr::knit_global())
  output <- if (!is.null(failed)) failed else if (length(table) && is.null(options$output.var)) shown_table(table, options)
  if (identical(options$results, "hide")) output <- NULL
  if (is.null(failed)) options$results <- "asis"
  knitr::engine_output(options, options$code, if (is.null(output)) "" else output)
}

shown_rows <- function(options) {
  most <- options$max.print
  if (is.null(most)) most <- knitr::opts_knit$get("sql.max.print")
  if (is.null(most) || is.na(most)) 10L else as.integer(min(most, MOST_ROWS))
}

shown_table <- function(table, options) {
  most <- shown_rows(options)
  caption <- options$tab.cap
  if (is.null(caption) && nrow(table) > most) caption <- paste("Displaying records 1 -", most)
  paste(c("", knitr::kable(utils::head(table, most), format = "pipe", caption = caption), ""), collapse = "\n")
}

as_table <- function(columns) {
  values <- lapply(columns, function(column) {
    cells <- lapply(column$values, function(cell) if (is.null(cell)) NA else cell)
    if (length(cells)) unlist(cells) else logical()
  })
  names(values) <- vapply(columns, function(column) column$name, "")
  as.data.frame(values, check.names = FALSE, stringsAsFactors = FALSE)
}

# Data frames that the SQL names, as CSV files that DuckDB reads.
frames_named <- function(code) {
  words <- unique(regmatches(code, gregexpr("[[:alpha:]][[:alnum:]_.]*", code))[[1]])
  is_frame <- function(word) exists(word, envir = knitr::knit_global()) && is.data.frame(get(word, envir = knitr::knit_global()))
  found <- Filter(is_frame, words)
  paths <- lapply(found, function(name) {
    path <- our_file(paste0("frame-", match(name, found), ".csv"))
    utils::write.csv(get(name, envir = knitr::knit_global()), path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
    jsonlite::unbox(path)
  })
  stats::setNames(paths, found)
}
