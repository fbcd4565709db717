# One render, from a request to an answer, wherever it runs: a sandboxed local R or a container.
#
# A request is a list: source, files (name -> base64), formats (html, pdf, word, pptx, md), engine
# (rmarkdown or fast), params, figures (TRUE: as PNG whatever the document uses), separate, chunk_keys and chunks (see
# chunk_cache.R).
# An answer is a list: ok, outputs (the knitted Markdown among them as md, asked for or not), figures, phases, knits, versions, warnings, log -- or ok = FALSE and error.
# Nothing here writes outside a scratch directory, and everything a document prints goes to a log. The document
# has a directory there that holds its files and nothing of ours; what we need lies in one beside it.

say_nothing <- function(event) invisible(NULL)

render_job <- function(request, report = say_nothing) {
  scratch <- tempfile("render-")
  for (directory in c(scratch, file.path(scratch, c("document", "ours")))) dir.create(directory)
  ours$directory <- file.path(scratch, "ours")
  warned$texts <- character()
  home <- setwd(file.path(scratch, "document"))
  on.exit({ setwd(home); unlink(scratch, recursive = TRUE, force = TRUE) })
  log <- new_log(report)
  budget$left <- if (is.null(request$limit)) Inf else request$limit
  answer <- watch_errors(log, request$source, {
    unpack_files(request$files)
    lift_side_files(request$source)
    watch_figures()
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
    members <- paste0("\"data\":\"", file$data, "\"")
    if (length(file$pictures)) members <- c(members, paste0("\"pictures\":", files_json(file$pictures)))
    with_members(to_json(file[setdiff(names(file), c("data", "pictures"))]), members)
  }, "")
  paste0("[", paste(items, collapse = ","), "]")
}

with_members <- function(object, members) {
  if (!length(members)) return(object)
  paste0(substr(object, 1, nchar(object) - 1), ",", paste(members, collapse = ","), "}")
}

to_json <- function(value) jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", digits = NA)

as_output <- function(format, path) list(format = format, name = basename(path), data = as_base64(path))

# ---- what happened, for people ---------------------------------------------------------------

new_log <- function(report) {
  self <- new.env()
  self$lines <- character()
  self$running <- NULL
  self$fell <- NULL
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

# The chunk that runs is told to whoever waits, so that it can be named even when R ends without an answer.
chunk_progress <- function(log) function(total, labels) {
  outer <- log$running # of the document that this one is a child of
  list(
    update = function(i) {
      log$fell <- NULL
      hand_over_chunk(log$report)
      lines <- tryCatch(as.integer(utils::getFromNamespace("current_lines", "knitr")(i)), error = function(e) NULL)
      log$running <- list(
        phase = "knit", chunk = labels[[i]], done = i, total = total, file = knitr::current_input(),
        lines = if (length(lines) == 2L && !anyNA(lines)) lines
      )
      log$report(log$running)
    },
    done = function() {
      hand_over_chunk(log$report)
      if (is.null(log$fell)) log$fell <- log$running
      log$running <- outer
      log$report(if (is.null(outer)) list(phase = "convert") else outer)
    }
  )
}

# The label has to be read before knitr unwinds, hence a calling handler inside the exiting one.
watch_errors <- function(log, source, expr) {
  failure <- NULL
  note <- function(e, running = log$running) {
    failure <<- list(
      message = conditionMessage(e), call = one_line(conditionCall(e)), class = class(e)[[1]],
      chunk = running$chunk, inline = inline_code(), trace = as.list(user_calls(sys.calls())),
      warnings = as.list(unique(c(pending_warnings(), missing_files())))
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
    add_warnings(conditionMessage(w))
    invokeRestart("muffleWarning")
  }
  withCallingHandlers(
    tryCatch(
      withCallingHandlers(expr, error = note),
      error = function(e) {
        # R calls no handler in place when it has run out of stack; knitr has unwound by now.
        if (is.null(failure)) note(e, log$fell)
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

# Warnings of the code that fails, which knitr keeps for a page that will not be: they often say what the error does
# not. They are where the package evaluate keeps them, in one place up to its version 0.24 and in another since.
pending_warnings <- function() {
  for (frame in rev(sys.frames())) {
    kept <- tryCatch(
      if (is.function(frame$handle_condition)) frame$output else environment(frame$watcher$push)$output,
      error = function(e) NULL
    )
    if (!is.list(kept)) next
    kept <- Filter(function(item) inherits(item, "warning"), kept)
    return(utils::tail(vapply(kept, function(item) substr(conditionMessage(item), 1, 300), ""), 5))
  }
  NULL
}

# What knitr could not open itself, such as a child document: its error does not say which file it was.
missing_files <- function() utils::tail(grep("^cannot open (compressed )?file", warned$texts, value = TRUE), 2)

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
  use_own_languages()
  watch_chunks(request)
  printed <- file(our_file("printed.txt"), open = "w+")
  sink(printed)
  on.exit({ end_interpreter(); sink(); log$add(readLines(printed, warn = FALSE)); close(printed) })
  request["params"] <- list(given_params(request))
  done <- if (request$engine == "fast") fast_render(request, log) else exact_render(request, log)
  c(list(ok = TRUE, phases = log$phases, versions = versions(), warnings = as.list(warned$texts), reused = as.list(kept_chunks$reused)), done)
}
