#' Let tools run in this R session
#'
#' Serves the calls of a rolltop server in the session that is open: functions are found where they are now, with the data and
#' packages that are loaded, so that an author can change one and see a model call it. The owner of the server names the
#' folder in its settings, `[catalog.author_sessions]`, for the package whose tools are to run here; while no session is
#' open there, they run in the sandbox as ever. What runs here is not in a sandbox. Interrupt it to end it.
#'
#' @param folder Character string, a folder for requests and answers; it is made, closed to other users, if it is not there.
#' @param envir Environment, where functions are looked for.
#' @param calls Numeric, after how many calls to return.
#' @return The state that the tools have used, invisibly; see [mcptool_state_factory()].
#' @examples
#' \dontrun{
#' mcp_session("~/.rolltop-orchard")
#' }
#' @export
mcp_session <- function(folder, envir = globalenv(), calls = Inf) {
  folder <- path.expand(folder)
  if (!dir.exists(folder)) dir.create(folder, recursive = TRUE, mode = "0700")
  Sys.chmod(folder, "0700", use_umask = FALSE)
  unlink(list.files(folder, "^(request|answer)-", full.names = TRUE))
  mark <- file.path(folder, "session.json")
  on.exit(unlink(mark))
  writeLines(jsonlite::toJSON(list(pid = Sys.getpid()), auto_unbox = TRUE), mark)
  state <- mcptool_state_factory()
  while (calls > 0) {
    waiting <- list.files(folder, "^request-.*[.]json$", full.names = TRUE)
    if (!length(waiting)) Sys.sleep(0.02)
    for (path in waiting) {
      answer_request(path, envir, state)
      calls <- calls - 1
    }
  }
  invisible(state)
}

# The answer appears by a rename: it is there whole or not at all.
answer_request <- function(path, envir, state) {
  request <- jsonlite::fromJSON(path, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  unlink(path)
  answer <- answer_to(request, envir, state)
  place <- sub("request-", "answer-", path, fixed = TRUE)
  writeLines(jsonlite::toJSON(answer, auto_unbox = TRUE, null = "null", digits = NA, json_verbatim = TRUE), paste0(place, ".part"), useBytes = TRUE)
  file.rename(paste0(place, ".part"), place)
}

answer_to <- function(request, envir, state) {
  warned <- said <- character()
  failed <- function(e) list(error = conditionMessage(e), warnings = I(warned))
  called <- function() {
    fun <- get(request[["function"]], envir = envir, mode = "function")
    given <- as.list(request$arguments)
    if (".state_env" %in% names(formals(fun))) given$.state_env <- state
    printed <- utils::capture.output(value <- do.call(fun, given))
    list(value = as_data(value), text = paste(mcp_describe(value, request$max_print), collapse = "\n"),
         printed = paste(printed, collapse = "\n"), warnings = I(warned), messages = I(said))
  }
  withCallingHandlers(
    tryCatch(called(), error = failed),
    warning = function(w) {
      warned <<- c(warned, conditionMessage(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      said <<- c(said, trimws(conditionMessage(m)))
      invokeRestart("muffleMessage")
    }
  )
}

# A value as JSON has it; what is no data, such as a fitted model, is text alone.
as_data <- function(value) {
  if (is.object(value) && !inherits(value, c("data.frame", "factor", "Date", "POSIXct"))) return(NULL)
  tryCatch({
    text <- jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", na = "null", digits = NA, dataframe = "rows")
    structure(text, class = "json")
  }, error = function(e) NULL)
}
