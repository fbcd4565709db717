#' Build tool definitions
#'
#' Reads the roxygen comments of a package, a folder or a file without running it, and writes one YAML file for every function
#' marked with `@keywords mcp-tool` to `inst/mcp/tools`. Files of tools that are gone are removed.
#'
#' @param path Character string, the root of the package, a folder or a file.
#' @param examples Logical, whether to run the examples, in a sandbox, and keep their output.
#' @param verbose Logical, whether to show what was noticed, such as examples that fail.
#' @return A list, invisibly:
#'   \describe{
#'     \item{directory}{Character string, where the definitions are.}
#'     \item{tools}{Character vector, names of the tools.}
#'     \item{written}{Character vector, files that are new or changed.}
#'     \item{unchanged}{Character vector, files that already said the same.}
#'     \item{removed}{Character vector, files of tools that are gone.}
#'     \item{remarks}{Character vector, what was noticed.}
#'   }
#' @examples
#' \dontrun{
#' mcptool_build("~/packages/orchard")
#' }
#' @export
mcptool_build <- function(path = ".", examples = TRUE, verbose = interactive()) {
  built <- engine("build", path.expand(path), if (!isTRUE(examples)) "--no-examples")
  built[] <- lapply(built, as.character)
  if (isTRUE(verbose)) for (remark in built$remarks) message(remark)
  invisible(built)
}

#' List tools
#'
#' @param pkg Character string, an installed package, or a path of sources (with a slash).
#' @param groups Character vector of groups, each a regular expression for what follows `mcp_tool_` in the name; tools of any
#'   of them are given. All tools when it is `NULL`.
#' @return Character vector, the names of the tools, `package-function`.
#' @examples
#' \dontrun{
#' mcptool_list("orchard", groups = c("harvest", "variety"))
#' }
#' @export
mcptool_list <- function(pkg, groups = NULL) {
  found <- engine("list", path.expand(pkg), groups_of(groups))
  vapply(found, function(each) each$name, "")
}

#' Read one definition
#'
#' @param pkg Character string, an installed package, a path of sources, or a YAML file.
#' @param name Character string, the tool, with or without its package; not needed for a YAML file.
#' @return List, the definition as its YAML file has it.
#' @examples
#' \dontrun{
#' mcptool_load("orchard", "mcp_tool_harvest_add")$parameters$required
#' }
#' @export
mcptool_load <- function(pkg, name = NULL) {
  engine("show", path.expand(pkg), name)
}

#' Read all definitions
#'
#' @inheritParams mcptool_list
#' @return Named list, the definitions by the names of their tools.
#' @examples
#' \dontrun{
#' mcptool_load_all("orchard", groups = "harvest")
#' }
#' @export
mcptool_load_all <- function(pkg, groups = NULL) {
  names <- mcptool_list(pkg, groups)
  stats::setNames(lapply(names, function(name) mcptool_load(pkg, name)), names)
}
