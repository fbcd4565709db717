# One render, from a request to an answer, wherever it runs: a sandboxed local R or a container.
#
# A request is a list: source, files (name -> base64), formats (html, pdf, word), engine
# (rmarkdown or fast), params, figures (TRUE: as PNG whatever the document uses), separate.
# An answer is a list: ok, outputs, figures, phases, knits, versions, log -- or ok = FALSE and error.
# Nothing here writes outside a scratch directory, and everything a document prints goes to a log. The document
# has a directory there that holds its files and nothing of ours; what we need lies in one beside it.

say_nothing <- function(event) invisible(NULL)

render_job <- function(request, report = say_nothing) {
  scratch <- tempfile("render-")
  for (directory in c(scratch, file.path(scratch, c("document", "ours")))) dir.create(directory)
  ours$directory <- file.path(scratch, "ours")
  home <- setwd(file.path(scratch, "document"))
  on.exit({ setwd(home); unlink(scratch, recursive = TRUE, force = TRUE) })
  log <- new_log(report)
  budget$left <- if (is.null(request$limit)) Inf else request$limit
  answer <- watch_errors(log, request$source, {
    unpack_files(request$files)
    lift_side_files(request$source)
    run_engine(request, log)
  })
  answer$log <- log$tail()
  answer
}

ours <- new.env()

our_file <- function(name) file.path(ours$directory, name)

# ---- files in, files out ---------------------------------------------------------------------

unpack_files <- function(files) {
  for (name in names(files)) {
    dir.create(dirname(name), recursive = TRUE, showWarnings = FALSE)
    data <- jsonlite::base64_dec(files[[name]])
    writeBin(data, name)
    if (file.size(name) != length(data)) stop("No space left on device for ", name, call. = FALSE)
  }
}

# Side files live in a directory named after the document; they answer to their bare names as well.
lift_side_files <- function(source) {
  side <- tools::file_path_sans_ext(source)
  if (!dir.exists(side)) return(invisible())
  for (name in list.files(side, all.files = TRUE, no.. = TRUE)) {
    if (!file.exists(name)) file.symlink(file.path(side, name), name)
  }
}

as_base64 <- function(path) {
  spend(file.size(path))
  xfun::base64_encode(path)
}

# What an answer may hold is counted before it is built, so that the limit is named and not merely hit.
budget <- new.env()
budget$left <- Inf

spend <- function(bytes) {
  budget$left <- budget$left - bytes
  if (budget$left >= 0) return(invisible())
  stop(structure(class = c("size_limit", "error", "condition"), list(message = "the results are too large", call = NULL)))
}

# The bytes of files are put into the JSON as they are: base64 holds nothing to escape, and looking for it
# would take longer than everything else.
answer_json <- function(answer) {
  files <- intersect(c("outputs", "figures"), names(answer))
  parts <- vapply(files, function(field) paste0(to_json(field), ":", files_json(answer[[field]])), "")
  with_members(to_json(answer[setdiff(names(answer), files)]), parts)
}

files_json <- function(files) {
  items <- vapply(files, function(file) {
    with_members(to_json(file[setdiff(names(file), "data")]), paste0("\"data\":\"", file$data, "\""))
  }, "")
  paste0("[", paste(items, collapse = ","), "]")
}

with_members <- function(object, members) {
  if (!length(members)) return(object)
  paste0(substr(object, 1, nchar(object) - 1), ",", paste(members, collapse = ","), "}")
}

to_json <- function(value) jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", digits = NA)

as_output <- function(format, path) list(format = format, name = basename(path), data = as_base64(path))

collect_figures <- function(directories) {
  paths <- list.files(directories, pattern = "[.](png|jpe?g|svg|pdf)$", full.names = TRUE)
  names <- basename(paths)
  keep <- !duplicated(names)
  Map(function(name, path) list(name = name, data = as_base64(path)), names[keep], paths[keep], USE.NAMES = FALSE)
}

# ---- what happened, for people ---------------------------------------------------------------

new_log <- function(report) {
  self <- new.env()
  self$lines <- character()
  self$chunk <- NULL
  self$quitting <- NULL
  self$phases <- list()
  self$report <- report
  self$add <- function(text) self$lines <- utils::tail(c(self$lines, unlist(strsplit(text, "\n"))), 200)
  self$tail <- function() paste(self$lines, collapse = "\n")
  self$phase <- function(name, expr) {
    report(list(phase = name))
    began <- proc.time()[["elapsed"]]
    value <- force(expr)
    spent <- round(1000 * (proc.time()[["elapsed"]] - began))
    self$phases[[name]] <- (if (is.null(self$phases[[name]])) 0 else self$phases[[name]]) + spent
    value
  }
  self
}

chunk_progress <- function(log) function(total, labels) {
  list(
    update = function(i) {
      log$chunk <- labels[[i]]
      log$report(list(phase = "knit", chunk = labels[[i]], done = i, total = total))
    },
    done = function() log$chunk <- NULL
  )
}

# The label has to be read before knitr unwinds, hence a calling handler inside the exiting one.
watch_errors <- function(log, source, expr) {
  failure <- NULL
  note <- function(e) {
    failure <<- list(
      message = conditionMessage(e), call = one_line(conditionCall(e)), class = class(e)[[1]],
      chunk = log$chunk, inline = inline_code(), trace = as.list(user_calls(sys.calls()))
    )
  }
  on_message <- function(m) {
    text <- conditionMessage(m)
    # The first one is about the innermost document; those that it is a child of say less.
    if (is.null(log$quitting) && grepl("^\\s*Quitting from", text)) log$quitting <- text
    log$add(text)
    invokeRestart("muffleMessage")
  }
  on_warning <- function(w) {
    log$add(paste("Warning:", conditionMessage(w)))
    invokeRestart("muffleWarning")
  }
  withCallingHandlers(
    tryCatch(
      withCallingHandlers(expr, error = note),
      error = function(e) {
        if (is.null(failure)) note(e)
        failure$quitting <- log$quitting
        failure$latex <- latex_log(source)
        list(ok = FALSE, error = failure)
      }
    ),
    message = on_message, warning = on_warning
  )
}

one_line <- function(call) if (is.null(call)) NULL else paste(deparse(call, nlines = 2L), collapse = " ")

# Between knitr's evaluation and R's error handling lie the calls that the document's author wrote.
user_calls <- function(calls) {
  text <- vapply(calls, function(call) substr(deparse(call, nlines = 1L)[[1]], 1, 200), "")
  from <- utils::tail(which(grepl("^eval\\(expr, envir(, enclos)?\\)", text)), 1)
  if (!length(from)) return(NULL)
  text <- text[-seq_len(from)]
  text <- text[!grepl("^(stop|\\.handleSimpleError|h\\(|\\(function|withCallingHandlers|signalCondition)", text)]
  utils::head(text, 20)
}

# The piece of R inside a line of text that knitr evaluates at the moment, NULL when it evaluates a chunk.
inline_code <- function() {
  for (frame in rev(sys.frames())) {
    if (!inherits(frame$block, "inline") || !is.numeric(frame$i)) next
    return(tryCatch(frame$block$code.src[[frame$i]], error = function(e) NULL))
  }
  NULL
}

# rmarkdown gives intermediate files names without spaces and brackets.
latex_log <- function(source) {
  plain <- function(name) gsub("[^[:alnum:]]", "_", name)
  logs <- list.files(pattern = "[.]log$")
  logs <- logs[plain(tools::file_path_sans_ext(logs)) == plain(tools::file_path_sans_ext(source))]
  if (!length(logs)) return(NULL)
  paste(utils::tail(readLines(logs[[1]], warn = FALSE), 120), collapse = "\n")
}

versions <- function() {
  if (is.null(known$versions)) known$versions <- find_versions()
  known$versions
}

known <- new.env()

find_versions <- function() {
  of <- function(package) tryCatch(as.character(utils::packageVersion(package)), error = function(e) NULL)
  list(
    R = as.character(getRversion()), rmarkdown = of("rmarkdown"), knitr = of("knitr"),
    pandoc = as.character(rmarkdown::pandoc_version())
  )
}

# ---- the engine ------------------------------------------------------------------------------

run_engine <- function(request, log) {
  if ("pdf" %in% request$formats && request$engine == "rmarkdown") stand_in_for_framed()
  options(knitr.progress.fun = chunk_progress(log))
  printed <- file(our_file("printed.txt"), open = "w+")
  sink(printed)
  on.exit({ sink(); log$add(readLines(printed, warn = FALSE)); close(printed) })
  request["params"] <- list(given_params(request))
  done <- if (request$engine == "fast") fast_render(request, log) else exact_render(request, log)
  c(list(ok = TRUE, phases = log$phases, versions = versions()), done)
}
