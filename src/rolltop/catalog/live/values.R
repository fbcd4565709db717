# The R side of the catalog, first part: the state of tools and the description of values, which are those of the R
# package; data.R and support.R are the others. Runs only inside the sandbox of rolltop.confine. All parts find base R
# before anything that tools put into the global environment, and are not in it themselves: a tool may empty it.

attach(list(.rolltop = new.env(parent = baseenv())), name = "rolltop:support", warn.conflicts = FALSE)

local({
  #include state.R
  #include describe.R

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
