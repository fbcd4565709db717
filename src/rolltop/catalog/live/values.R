# The R side of the catalog, first part: the state of tools and the description of values; data.R and support.R are the
# others. Runs only inside the sandbox of rolltop.confine. All parts find base R before anything that tools put into the
# global environment, and are not in it themselves: a tool may empty it.

attach(list(.rolltop = new.env(parent = baseenv())), name = "rolltop:support", warn.conflicts = FALSE)

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

  .rolltop$cut_lines <- cut_lines
  # Of every value: a package's own method for its class may fail.
  .rolltop$describe <- function(x, max_print) {
    failed <- function(e) paste0("<a value that cannot be described: ", conditionMessage(e), ">")
    tryCatch(suppressMessages(suppressWarnings(paste(mcp_describe(x, max_print), collapse = "\n"))), error = failed)
  }

  # Registered and attached, so that tools may use them, too: R does not look for methods among what is attached, only
  # where the generic is at home, and that is the nearest package around it.
  .packageName <- "rolltop:catalog"
  for (class in c("default", "data.frame", "mcptool_state")) {
    registerS3method("mcp_describe", class, get(paste0("mcp_describe.", class)), envir = environment())
  }
  shared <- c("mcptool_state_factory", ls(pattern = "^mcp_describe"))
  attach(mget(shared), name = "rolltop:catalog", warn.conflicts = FALSE)
}, envir = new.env(parent = .BaseNamespaceEnv))
