# The R side of rolltop.confine.r: reads requests from one descriptor, answers on another.
# A frame is a big-endian 4-byte length and that many bytes of JSON. Standard output and error belong to the
# user's code: nothing it prints can get between two answers. All of this finds base R before anything else: what
# user code defines in the global environment, be it called `list`, changes nothing here.
local({
  descriptors <- as.integer(commandArgs(trailingOnly = TRUE))
  open_input <- function(fd) file(paste0("/dev/fd/", fd), "rb", raw = TRUE)
  open_output <- function(fd) file(paste0("/dev/fd/", fd), "wb", raw = TRUE)
  input <- open_input(descriptors[[1L]])
  output <- open_output(descriptors[[2L]])
  loadNamespace("jsonlite")
  options(warn = 1, keep.source = FALSE, browserNLdisabled = TRUE, device = "pdf", menu.graphics = FALSE)

  receive <- function() {
    size <- readBin(input, "integer", 1L, 4L, endian = "big")
    if (length(size) == 0L) return(NULL)
    text <- rawToChar(readBin(input, "raw", size))
    Encoding(text) <- "UTF-8"
    from_json(text)
  }
  send <- function(text) {
    bytes <- charToRaw(enc2utf8(text))
    writeBin(length(bytes), output, endian = "big")
    writeBin(bytes, output)
    flush(output)
  }
  to_json <- write_json # of json.R and read.R, which stand before this file
  from_json <- read_json
  rm(write_json, read_json, envir = globalenv())

  # Every frame says which request it belongs to: a late answer must not be taken for the next one's.
  current <- ""
  reply <- function(fields) send(paste0("{\"id\":\"", current, "\",", paste(fields, collapse = ","), "}"))
  condition_fields <- function(condition, trace = NULL) {
    call <- conditionCall(condition)
    list(
      message = conditionMessage(condition),
      call = if (is.null(call)) NULL else paste(deparse(call, nlines = 3L), collapse = "\n"),
      class = I(class(condition)),
      trace = trace
    )
  }

  # For long jobs: whatever is given reaches the caller at once, before the answer.
  progress <- function(value) {
    reply(paste0("\"progress\":", to_json(value)))
    invisible(value)
  }
  shared <- list(rolltop_progress = progress, rolltop_json = to_json, rolltop_read = from_json)
  attach(shared, name = "rolltop", warn.conflicts = FALSE)

  compiled <- new.env(parent = emptyenv())
  # A function by its source or name. Source is parsed once, since a caller usually asks for the same again;
  # a name is looked up anew, because the user may define it again.
  as_function <- function(code) {
    found <- compiled[[code]]
    if (is.null(found)) {
      found <- eval(parse(text = code, keep.source = FALSE), globalenv())
      if (!is.function(found)) stop("the code is not a function: ", substr(code, 1L, 60L), call. = FALSE)
      if (startsWith(trimws(code), "function")) assign(code, found, envir = compiled)
    }
    found
  }
  perform <- function(request) {
    switch(request$op,
      call = {
        arguments <- as.list(request$args)
        do.call(as_function(request$code), if (request$positional) unname(arguments) else arguments, quote = TRUE)
      },
      eval = {
        value <- NULL
        for (expression in parse(text = request$code, keep.source = FALSE)) {
          value <- withVisible(eval(expression, globalenv()))
        }
        if (is.null(value)) invisible(NULL) else if (value$visible) value$value else invisible(value$value)
      },
      source = {
        for (path in request$files) sys.source(path, envir = globalenv(), keep.source = TRUE)
        for (package in request$packages) suppressPackageStartupMessages(library(package, character.only = TRUE))
        if (length(request$code)) eval(parse(text = request$code, keep.source = FALSE), globalenv())
        invisible(NULL)
      },
      stop("unknown operation")
    )
  }
  # The calls of the user's code: those between our own machinery and the handler that asks.
  user_calls <- function(calls) {
    texts <- vapply(calls, function(call) substr(deparse(call, nlines = 1L)[[1L]], 1L, 200L), "")
    start <- max(0L, which(texts %in% c("withVisible(perform(request))", "withVisible(eval(invocation, frame))")))
    texts <- texts[seq_along(texts) > start]
    ours <- "^(perform\\(request\\)|eval\\(invocation, frame\\)|do\\.call\\(as_function|withVisible\\(eval|eval\\(expression|\\.handleSimpleError|h\\(simpleError|user_calls|\\(function \\((e|\\.\\.\\.)\\) $|\\.rolltop\\$)"
    utils::tail(texts[!grepl(ours, texts)], 20L)
  }
  answer_to <- function(request) {
    conditions <- list()
    trace <- NULL
    keep <- function(kind, condition) {
      if (length(conditions) < 1000L) {
        conditions[[length(conditions) + 1L]] <<- c(list(kind = kind), condition_fields(condition))
      }
    }
    printed <- character()
    sinks <- sink.number()
    capture <- textConnection("printed", "w", local = TRUE)
    sink(capture)
    failure <- NULL
    value <- tryCatch(
      withCallingHandlers(
        withVisible(perform(request)),
        warning = function(w) {
          keep("warning", w)
          tryInvokeRestart("muffleWarning")
        },
        message = function(m) {
          keep("message", m)
          tryInvokeRestart("muffleMessage")
        },
        error = function(e) trace <<- user_calls(sys.calls())
      ),
      error = function(e) {
        failure <<- condition_fields(e, I(as.character(trace)))
        NULL
      },
      interrupt = function(i) {
        failure <<- condition_fields(simpleError("interrupted"))
        NULL
      }
    )
    # User code may have opened sinks of its own, or closed ours.
    while (sink.number() > sinks) sink()
    try(close(capture), silent = TRUE)
    fields <- character()
    if (is.null(failure)) {
      text <- tryCatch(to_json(value$value), error = function(e) {
        failure <<- condition_fields(simpleError(paste("the value cannot be written as JSON:", conditionMessage(e))))
      })
    }
    if (is.null(failure)) {
      fields <- paste0("\"value\":", text, ",\"visible\":", if (value$visible) "true" else "false")
    } else {
      fields <- paste0("\"error\":", to_json(failure))
    }
    if (length(conditions)) fields <- c(fields, paste0("\"conditions\":", to_json(conditions)))
    if (length(printed)) fields <- c(fields, paste0("\"printed\":", to_json(I(printed))))
    fields
  }
  answer <- function(request) {
    self <- Sys.getpid()
    current <<- request$id
    fields <- answer_to(request)
    # A fork that user code made and that came back here would answer a second time, and take the next request.
    if (Sys.getpid() != self) parallel:::mcexit(0L)
    reply(fields)
  }

  # R's own quit removes the temporary directory, which a fork shares with all the others.
  quit_alone <- function() {
    leave <- function(save = "no", status = 0, runLast = FALSE) parallel:::mcexit(as.integer(status))
    for (name in c("quit", "q")) {
      unlockBinding(name, baseenv())
      assign(name, leave, envir = baseenv())
    }
  }
  # A copy of this process, with everything that is loaded, answers one request on its own pair of descriptors and
  # ends. It keeps no descriptor of the template or of another job.
  fork_job <- function() {
    own <- descriptors[3:4]
    child <- parallel:::mcfork(estranged = TRUE)
    if (!inherits(child, "masterProcess")) return(child$pid)
    status <- 1L
    try({
      close(input)
      close(output)
      open <- suppressWarnings(as.integer(list.files("/proc/self/fd"))) # nothing where there is no /proc
      parallel:::closeFD(setdiff(c(open[!is.na(open)], descriptors), c(0:2, own)))
      input <<- open_input(own[[1L]])
      output <<- open_output(own[[2L]])
      parallel:::closeFD(own)
      quit_alone()
      set.seed(NULL)
      request <- receive()
      if (!is.null(request)) answer(request)
      status <- 0L
    }, silent = TRUE)
    parallel:::mcexit(status)
  }

  # Called in the template when nothing of a job runs any more: removes its files; whether all is as it was before.
  sweep <- function() {
    own <- tempdir()
    if (!dir.exists(own) || file.access(own, 3L) != 0L) return(FALSE)
    files <- function(folder) list.files(folder, all.files = TRUE, no.. = TRUE, full.names = TRUE)
    left <- function() c(setdiff(files(dirname(own)), own), files(own))
    unlink(c(left(), files("/dev/shm")), recursive = TRUE, force = TRUE, expand = FALSE)
    !length(left())
  }

  send(to_json(list(version = paste(R.version$major, R.version$minor, sep = "."))))
  while (!is.null(request <- receive())) {
    current <- request$id
    switch(request$op,
      fork = reply(tryCatch(paste0("\"value\":", to_json(fork_job())), error = function(e) {
        paste0("\"error\":", to_json(conditionMessage(e)))
      })),
      sweep = reply(paste0("\"value\":", if (isTRUE(sweep())) "true" else "false")),
      answer(request)
    )
  }
}, envir = new.env(parent = .BaseNamespaceEnv))
