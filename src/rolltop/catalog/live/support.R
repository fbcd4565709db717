# The R side of the catalog, third part: loads a package from its sources, calls its tools, captures plots, runs
# examples. Runs only inside the sandbox of rolltop.confine, after values.R and data.R.

local({
  mcptool_state_factory <- get("mcptool_state_factory", "rolltop:catalog")
  mcp_describe <- get("mcp_describe", "rolltop:catalog")
  from_json <- get("rolltop_read", "rolltop")

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

  source_file <- function(file, ns) {
    tryCatch(sys.source(file, envir = ns, keep.source = TRUE), error = function(e) {
      what <- conditionMessage(e)
      stop(if (!grepl(file, what, fixed = TRUE)) paste0(file, ": "), what, call. = FALSE)
    })
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
    for (file in r_files(root, fields$Collate)) source_file(file, ns)
    if (is.function(ns$.onLoad)) ns$.onLoad(NULL, package)
    attach_namespace(ns, package, root, directives, info)
    .rolltop$package <- ns
    stateful(ns)
  }

  # The functions that use the state of their session.
  stateful <- function(ns) {
    I(Filter(function(name) is.function(f <- get(name, envir = ns)) && ".state_env" %in% names(formals(f)), ls(ns)))
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
    stateful(.rolltop$package)
  }

  # ---- calling a tool ------------------------------------------------------------------------

  .rolltop$state <- mcptool_state_factory()

  empty_vectors <- list(string = character(), number = numeric(), integer = integer(), boolean = logical(), object = data.frame(), array = matrix(numeric(), 0L, 0L))

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
    given <- as.list(from_json(arguments, matrices = TRUE))
    typed <- lapply(names(given), function(name) as_typed(given[[name]], types[[name]]$type, types[[name]]$items))
    names(typed) <- names(given)
    typed
  }

  # The folder is made when the first plot is drawn: most calls draw none.
  draw_into <- function(folder) {
    options(device = function(...) {
      dir.create(folder, showWarnings = FALSE)
      grDevices::png(file.path(folder, "plot%06d.png"), width = 960, height = 640, res = 110, type = "cairo")
    })
  }

  plots_in <- function(folder) {
    grDevices::graphics.off()
    if (!dir.exists(folder)) return(character())
    files <- list.files(folder, full.names = TRUE)
    files[file.size(files) > 0]
  }

  as_base64 <- function(file) jsonlite::base64_enc(readBin(file, "raw", file.size(file)))

  is_drawn_by_printing <- function(x) inherits(x, c("ggplot", "trellis", "recordedplot", "gtable", "grob"))

  # By its name, with its arguments as variables of a frame: errors, match.call() and substitute() then show what they
  # show when a person makes the call, neither the function's source nor its data.
  invoke <- function(name, given) {
    frame <- list2env(given, parent = .rolltop$package)
    invocation <- as.call(c(as.name(name), sapply(names(given), as.name, simplify = FALSE)))
    withVisible(eval(invocation, frame))
  }

  .rolltop$call <- function(name, arguments, types, returns, max_print, max_images) {
    fun <- get(name, envir = .rolltop$package, mode = "function")
    given <- arguments_of(arguments, types)
    if (".state_env" %in% names(formals(fun))) given$.state_env <- .rolltop$state
    folder <- tempfile("plots")
    draw_into(folder)
    on.exit({
      grDevices::graphics.off()
      if (dir.exists(folder)) unlink(folder, recursive = TRUE)
    })
    result <- invoke(name, given)
    drawn <- is_drawn_by_printing(result$value)
    if (drawn) print(result$value)
    plots <- plots_in(folder)
    list(
      value = if (drawn) NULL else .rolltop$data(result$value, returns),
      text = if (drawn) paste0("<plot: ", class(result$value)[[1L]], ">") else .rolltop$describe(result$value, max_print),
      images = lapply(utils::head(plots, max_images), as_base64),
      plots = length(plots)
    )
  }

  # The value of an expression computed in a fork, or a sentence that says why there is none.
  in_fork <- function(expression, seconds) {
    tempdir(check = TRUE) # an earlier fork that quit or crashed took it along
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
    list(output = I(.rolltop$cut_lines(as.character(output), max_print, 500L)), seconds = seconds, failure = failure)
  }

  # In a process of its own, forked with the package already loaded: nothing of an example reaches the next.
  .rolltop$example <- function(code, seconds, max_print) {
    result <- in_fork(run_example(code, max_print), seconds)
    if (is.character(result)) list(output = I(character()), seconds = seconds, failure = result) else result
  }
}, envir = new.env(parent = .BaseNamespaceEnv))
