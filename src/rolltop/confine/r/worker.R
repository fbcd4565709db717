# The R side of rolltop.confine.r: reads requests from descriptor IN, answers on descriptor OUT.
# A frame is a big-endian 4-byte length and that many bytes of JSON. Standard output and error are the
# user's code's own: nothing it prints can get between two answers.
local({
  arguments <- commandArgs(trailingOnly = TRUE)
  input <- file(paste0("/dev/fd/", arguments[[1]]), "rb", raw = TRUE)
  output <- file(paste0("/dev/fd/", arguments[[2]]), "wb", raw = TRUE)
  loadNamespace("jsonlite")
  options(warn = 1, keep.source = FALSE, browserNLdisabled = TRUE, device = "pdf", menu.graphics = FALSE)

  receive <- function() {
    size <- readBin(input, "integer", 1L, 4L, endian = "big")
    if (length(size) == 0L) return(NULL)
    text <- rawToChar(readBin(input, "raw", size))
    Encoding(text) <- "UTF-8"
    jsonlite::parse_json(text)
  }
  send <- function(answer) {
    text <- tryCatch(to_json(answer), error = function(e) {
      answer$value <- NULL
      answer$error <- condition_fields(simpleError(paste("the value cannot be written as JSON:", conditionMessage(e))))
      to_json(answer)
    })
    bytes <- charToRaw(enc2utf8(text))
    writeBin(length(bytes), output, endian = "big")
    writeBin(bytes, output)
    flush(output)
  }
  to_json <- function(x) {
    jsonlite::toJSON(x, auto_unbox = TRUE, null = "null", na = "null", digits = NA, force = TRUE, POSIXt = "ISO8601")
  }
  condition_fields <- function(condition, trace = NULL) {
    call <- conditionCall(condition)
    list(
      message = conditionMessage(condition),
      call = if (is.null(call)) NULL else paste(deparse(call, nlines = 3L), collapse = "\n"),
      class = I(class(condition)),
      trace = trace
    )
  }

  compiled <- new.env(parent = emptyenv())
  # A function by its source or name; parsed once, since a caller usually asks for the same one again.
  as_function <- function(code) {
    found <- compiled[[code]]
    if (is.null(found)) {
      found <- eval(parse(text = code, keep.source = FALSE), globalenv())
      if (!is.function(found)) stop("the code is not a function: ", substr(code, 1L, 60L))
      # Names are looked up anew, because the user may define them again.
      if (startsWith(trimws(code), "function")) assign(code, found, envir = compiled)
    }
    found
  }
  simplify <- function(args) jsonlite::fromJSON(args, simplifyVector = TRUE, simplifyDataFrame = TRUE, simplifyMatrix = FALSE)
  perform <- function(request) {
    switch(request$op,
      call = do.call(as_function(request$code), as.list(simplify(request$args)), quote = TRUE),
      eval = {
        value <- NULL
        for (expression in parse(text = request$code, keep.source = FALSE)) value <- eval(expression, globalenv())
        value
      },
      source = {
        for (path in request$files) sys.source(path, envir = globalenv(), keep.source = TRUE)
        for (package in request$packages) suppressPackageStartupMessages(library(package, character.only = TRUE))
        NULL
      },
      stop("unknown operation")
    )
  }
  frames_of_the_user <- function() {
    calls <- sys.calls()
    texts <- vapply(calls, function(call) substr(deparse(call, nlines = 1L)[[1L]], 1L, 200L), "")
    utils::tail(texts[!grepl("^(tryCatch|withCallingHandlers|doTryCatch|perform|do\\.call|answer_to|\\.handleSimpleError|h\\(simple)", texts)], 20L)
  }
  answer_to <- function(request) {
    conditions <- list()
    trace <- NULL
    keep <- function(kind, condition) {
      if (length(conditions) < 1000L) conditions[[length(conditions) + 1L]] <<- c(list(kind = kind), condition_fields(condition))
    }
    printed <- character()
    sinks <- sink.number()
    capture <- textConnection("printed", "w", local = TRUE)
    sink(capture)
    on.exit({
      while (sink.number() > sinks) sink()
      try(close(capture), silent = TRUE)
    })
    failure <- NULL
    value <- tryCatch(
      withCallingHandlers(
        withVisible(perform(request)),
        warning = function(w) { keep("warning", w); invokeRestart("muffleWarning") },
        message = function(m) { keep("message", m); tryInvokeRestart("muffleMessage") },
        error = function(e) trace <<- frames_of_the_user()
      ),
      error = function(e) { failure <<- condition_fields(e, I(as.character(trace))); NULL },
      interrupt = function(i) { failure <<- condition_fields(simpleError("interrupted")); NULL }
    )
    while (sink.number() > sinks) sink()
    close(capture)
    on.exit()
    answer <- list(conditions = conditions, printed = I(printed))
    if (is.null(failure)) {
      answer$value <- value$value
      answer$visible <- value$visible
      answer["value"] <- list(if (isS4(value$value) || is.environment(value$value) || is.function(value$value)) NULL else value$value)
    } else {
      answer$error <- failure
    }
    answer
  }

  send(list(ready = TRUE, version = paste(R.version$major, R.version$minor, sep = ".")))
  while (!is.null(request <- receive())) send(answer_to(request))
})
