# The R side of the catalog: loads a package from its sources, calls its tools, keeps their state,
# describes values, captures plots. Runs only inside the sandbox of rolltop.confine.

.rolltop <- new.env()

local({
  # ---- state: what a tool finds in .state_env ------------------------------------------------

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

  # ---- description: the text form of a value -------------------------------------------------

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

  mcp_describe <- function(x, max_print = 100L) UseMethod("mcp_describe")

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

  mcp_describe.data.frame <- function(x, max_print = 100L) {
    rows <- min(nrow(x), max(5L, max_print %/% max(1L, min(ncol(x), 20L))))
    head <- sprintf("data frame with %d rows and %d columns: %s", nrow(x), ncol(x),
                    paste(utils::head(names(x), 30L), collapse = ", "))
    more <- if (rows < nrow(x)) sprintf("... and %d more rows", nrow(x) - rows)
    c(head, cut_lines(printed(as.data.frame(x)[seq_len(rows), , drop = FALSE], max(1000L, max_print * 20L)), max_print), more)
  }

  mcp_describe.mcptool_state <- function(x, max_print = 100L) {
    paste0("<tool state> ", x$size(), " keys", if (x$size()) paste0(": ", paste(utils::head(x$keys(), 10L), collapse = ", ")))
  }

  .rolltop$describe <- function(x, max_print) paste(mcp_describe(x, max_print), collapse = "\n")

  # ---- loading a package from its sources ----------------------------------------------------

  r_files <- function(root, collate) {
    folder <- if (dir.exists(file.path(root, "R"))) file.path(root, "R") else root
    if (utils::file_test("-f", root)) return(root)
    files <- list.files(folder, pattern = "\\.[RrSsq]$", full.names = TRUE)
    files <- files[order(enc2utf8(basename(files)), method = "radix")]
    if (!is.null(collate)) {
      wanted <- file.path(folder, scan(text = collate, what = "", quiet = TRUE))
      files <- c(intersect(wanted, files), setdiff(files, wanted))
    }
    files
  }

  import_into <- function(imports, entry) {
    package <- entry[[1L]]
    loadNamespace(package)
    if (length(entry) == 1L) names <- getNamespaceExports(package) else names <- entry[[2L]]
    for (name in names) assign(name, getExportedValue(package, name), envir = imports)
  }

  # What library() does for an installed package, for sources: a namespace with its imports, registered
  # so that pkg::name works, and its functions attached.
  .rolltop$load_source <- function(package, root = Sys.getenv("ROLLTOP_PACKAGE")) {
    description <- file.path(root, "DESCRIPTION")
    fields <- if (file.exists(description)) as.list(read.dcf(description)[1L, ]) else list()
    if (dir.exists(file.path(root, "src"))) stop("the package has compiled code: install it first")
    imports <- new.env(parent = .BaseNamespaceEnv)
    attr(imports, "name") <- paste0("imports:", package)
    ns <- new.env(parent = imports)
    info <- new.env(parent = baseenv())
    info$spec <- c(name = package, version = if (is.null(fields$Version)) "0.0.0" else fields$Version)
    info$exports <- new.env(parent = baseenv())
    info$imports <- list(base = TRUE)
    info$path <- root
    info$dynlibs <- NULL
    info$S3methods <- matrix(NA_character_, 0L, 4L)
    ns$.__NAMESPACE__. <- info
    ns$.__S3MethodsTable__. <- new.env(parent = baseenv())
    ns$.packageName <- package
    directives <- if (file.exists(file.path(root, "NAMESPACE"))) parseNamespaceFile(basename(root), dirname(root))
    for (entry in directives$imports) import_into(imports, entry)
    if (isNamespaceLoaded(package)) stop("a package of that name is already loaded")
    .Internal(registerNamespace(package, ns))
    if (file.exists(data <- file.path(root, "R", "sysdata.rda"))) load(data, envir = ns)
    for (file in r_files(root, fields$Collate)) sys.source(file, envir = ns, keep.source = TRUE)
    if (is.function(ns$.onLoad)) ns$.onLoad(NULL, package)
    attach_namespace(ns, package, root, directives, info)
    .rolltop$package <- ns
    NULL
  }

  attach_namespace <- function(ns, package, root, directives, info) {
    all <- setdiff(ls(ns, all.names = TRUE), c(".__NAMESPACE__.", ".__S3MethodsTable__.", ".packageName"))
    exported <- intersect(c(directives$exports, unlist(lapply(directives$exportPatterns, grep, all, value = TRUE))), all)
    for (name in exported) assign(name, name, envir = info$exports)
    methods <- directives$S3methods
    for (i in seq_len(NROW(methods))) {
      name <- if (is.na(methods[i, 3L])) paste(methods[i, 1L], methods[i, 2L], sep = ".") else methods[i, 3L]
      registerS3method(methods[i, 1L], methods[i, 2L], get(name, envir = ns), envir = ns)
    }
    # Data sets are visible to examples, as after library().
    for (file in list.files(file.path(root, "data"), pattern = "\\.(rda|RData)$", full.names = TRUE)) load(file, envir = ns)
    # Tools are often not exported (@noRd); an example of one names it without its package.
    attach(as.list(ns, all.names = FALSE), name = paste0("package:", package), warn.conflicts = FALSE)
  }

  .rolltop$load_installed <- function(package) {
    suppressPackageStartupMessages(library(package, character.only = TRUE))
    .rolltop$package <- asNamespace(package)
    NULL
  }

  # ---- calling a tool ------------------------------------------------------------------------

  .rolltop$state <- mcptool_state_factory()

  empty_vectors <- list(string = character(), number = numeric(), integer = integer(), boolean = logical(), object = data.frame())

  # JSON does not tell an empty vector's type, nor 1 from 1L: the definition does.
  as_typed <- function(value, type, items) {
    if (is.null(value)) return(NULL)
    if (identical(type, "array") && length(value) == 0L) return(empty_vectors[[if (is.null(items)) "string" else items]])
    kind <- if (identical(type, "array")) items else type
    fits_integer <- is.numeric(value) && all(is.na(value) | abs(value) <= .Machine$integer.max)
    if (identical(kind, "integer") && fits_integer) storage.mode(value) <- "integer"
    if (is.numeric(value) && identical(kind, "number")) storage.mode(value) <- "double"
    value
  }

  arguments_of <- function(arguments, types) {
    given <- as.list(jsonlite::fromJSON(arguments, simplifyVector = TRUE, simplifyDataFrame = TRUE, simplifyMatrix = TRUE))
    typed <- lapply(names(given), function(name) as_typed(given[[name]], types[[name]]$type, types[[name]]$items))
    names(typed) <- names(given)
    typed
  }

  is_plain_class <- function(x) {
    !is.object(x) || inherits(x, c("data.frame", "factor", "Date", "POSIXct", "difftime", "AsIs", "table", "numeric_version"))
  }

  # The value as data for JSON; what is no data (a model, a function) has only its description.
  as_data <- function(x, depth = 0L) {
    if (is.null(x)) return(NULL)
    if (!is_plain_class(x) || depth > 20L) return(.rolltop$describe(x, 20L))
    if (is.data.frame(x)) return(x)
    if (inherits(x, "difftime")) return(as.numeric(x, units = "secs"))
    if (inherits(x, c("table", "numeric_version"))) return(if (inherits(x, "table")) as.data.frame(x) else as.character(x))
    if (is.list(x)) return(lapply(unclass(x), as_data, depth + 1L))
    if (is.atomic(x)) return(if (is.null(names(x)) || !is.null(dim(x))) x else as.list(x))
    .rolltop$describe(x, 20L)
  }

  # The folder is made when the first plot is drawn: most calls draw none.
  draw_into <- function(folder) {
    options(device = function(...) {
      dir.create(folder, showWarnings = FALSE)
      grDevices::png(file.path(folder, "plot%03d.png"), width = 960, height = 640, res = 110, type = "cairo")
    })
  }

  plots_in <- function(folder) {
    grDevices::graphics.off()
    if (!dir.exists(folder)) return(list())
    files <- sort(list.files(folder, full.names = TRUE))
    files <- files[file.size(files) > 0]
    lapply(utils::head(files, 8L), function(file) jsonlite::base64_enc(readBin(file, "raw", file.size(file))))
  }

  is_drawn_by_printing <- function(x) inherits(x, c("ggplot", "trellis", "recordedplot", "gtable", "grob"))

  .rolltop$call <- function(name, arguments, types, max_print) {
    fun <- get(name, envir = .rolltop$package, mode = "function")
    given <- arguments_of(arguments, types)
    if (".state_env" %in% names(formals(fun))) given$.state_env <- .rolltop$state
    folder <- tempfile("plots")
    draw_into(folder)
    on.exit({
      grDevices::graphics.off()
      if (dir.exists(folder)) unlink(folder, recursive = TRUE)
    })
    result <- withVisible(do.call(fun, given, quote = TRUE))
    drawn <- is_drawn_by_printing(result$value)
    if (drawn) print(result$value)
    list(
      value = if (drawn) NULL else as_data(result$value),
      text = if (drawn) paste0("<plot: ", class(result$value)[[1L]], ">") else .rolltop$describe(result$value, max_print),
      images = plots_in(folder)
    )
  }

  # The same in a fork: nothing that the call leaves behind (state, caches, options) reaches the next caller.
  .rolltop$call_apart <- function(..., seconds) {
    .rolltop$state$reset()
    result <- in_fork(collected(.rolltop$call(...)), seconds)
    if (is.character(result)) stop(result, call. = FALSE)
    cat(result$printed, sep = "\n")
    for (text in result$messages) message(text, appendLF = FALSE)
    for (text in result$warnings) warning(text, call. = FALSE)
    if (!is.null(result$error)) stop(result$error)
    result$value
  }

  # A fork has its own ends: what it signals and prints travels back as data.
  collected <- function(expression) {
    result <- list(messages = character(), warnings = character())
    result$printed <- utils::capture.output(value <- tryCatch(
      withCallingHandlers(
        expression,
        warning = function(w) { result$warnings <<- c(result$warnings, conditionMessage(w)); invokeRestart("muffleWarning") },
        message = function(m) { result$messages <<- c(result$messages, conditionMessage(m)); tryInvokeRestart("muffleMessage") }
      ),
      error = function(e) { result$error <<- e; NULL }
    ))
    result$value <- value
    result
  }

  # The value of an expression computed in a fork, or a sentence that says why there is none.
  in_fork <- function(expression, seconds) {
    job <- parallel::mcparallel(expression, mc.set.seed = FALSE, silent = TRUE)
    result <- parallel::mccollect(job, wait = FALSE, timeout = seconds)
    if (is.null(result)) {
      tools::pskill(job$pid, tools::SIGKILL)
      suppressWarnings(parallel::mccollect(job))
      return(sprintf("took longer than %g s", seconds))
    }
    if (is.null(result[[1L]])) return("the R process ended")
    if (inherits(result[[1L]], "try-error")) return(trimws(as.character(result[[1L]])))
    result[[1L]]
  }

  .rolltop$set_state <- function(values) {
    for (name in names(values)) .rolltop$state$set(name, values[[name]])
  }

  # ---- running an example --------------------------------------------------------------------

  run_example <- function(code, max_print) {
    set.seed(1L)
    options(device = function(...) grDevices::pdf(NULL), warn = 1L)
    frame <- new.env(parent = globalenv())
    failure <- NULL
    last <- NULL
    began <- proc.time()[["elapsed"]]
    output <- utils::capture.output(tryCatch(
      for (expression in parse(text = code, keep.source = FALSE)) last <- withVisible(eval(expression, frame)),
      error = function(e) failure <<- conditionMessage(e)
    ))
    seconds <- proc.time()[["elapsed"]] - began
    if (!is.null(failure)) output <- c(output, paste("Error:", failure))
    else if (!is.null(last) && last$visible) output <- c(output, mcp_describe(last$value, max_print))
    list(output = I(cut_lines(as.character(output), max_print, 500L)), seconds = seconds, failure = failure)
  }

  # In a process of its own, forked with the package already loaded: nothing of an example reaches the next.
  .rolltop$example <- function(code, seconds, max_print) {
    result <- in_fork(run_example(code, max_print), seconds)
    if (is.character(result)) list(output = I(character()), seconds = seconds, failure = result) else result
  }

  # Attached, so that tools may use them and methods for mcp_describe are found wherever it is called.
  shared <- c("mcptool_state_factory", ls(pattern = "^mcp_describe"))
  attach(mget(shared), name = "rolltop:catalog", warn.conflicts = FALSE)
})
