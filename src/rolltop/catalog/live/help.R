# The R side of reading the help of installed packages. Runs only inside the sandbox of rolltop.confine; loads no package.

.rolltop_help <- local({
  # What an Rd object holds, as the Rd text it was made from.
  rd_text <- function(part) {
    attributes(part) <- NULL
    trimws(paste(as.character(structure(as.list(part), class = "Rd"), deparse = FALSE), collapse = ""))
  }

  is_tagged <- function(part, tag) identical(attr(part, "Rd_tag"), tag)

  # The first section of that name, or NULL.
  section <- function(rd, tag) {
    for (part in rd) if (is_tagged(part, tag)) return(part)
  }

  text_of <- function(rd, tag) {
    found <- section(rd, tag)
    if (!is.null(found)) rd_text(found)
  }

  is_item <- function(part) is_tagged(part, "\\item") && length(part) == 2L

  arguments_in <- function(rd) {
    items <- Filter(is_item, as.list(section(rd, "\\arguments")))
    lapply(items, function(item) list(names = rd_text(item[[1L]]), text = rd_text(item[[2L]])))
  }

  # The fields of a value stand in its section itself; roxygen2 has them in a \describe.
  value_in <- function(rd) {
    parts <- as.list(section(rd, "\\value"))
    if (!length(parts)) return(NULL)
    are_items <- vapply(parts, is_item, NA)
    items <- vapply(parts[are_items], function(item) sprintf("\\item{%s}{%s}", rd_text(item[[1L]]), rd_text(item[[2L]])), "")
    fields <- if (length(items)) paste0("\n\\describe{\n", paste(items, collapse = "\n"), "\n}")
    paste0(rd_text(parts[!are_items]), fields)
  }

  # The parts of the page for `topic` that other documentation may inherit; NULL where there is no such page.
  function(package, topic) {
    found <- utils::help((topic), (package), help_type = "text")
    if (!length(found)) return(NULL)
    rd <- utils:::.getHelpFile(found[[1L]])
    list(
      arguments = arguments_in(rd), title = text_of(rd, "\\title"), description = text_of(rd, "\\description"),
      value = value_in(rd), examples = text_of(rd, "\\examples")
    )
  }
}, envir = new.env(parent = .BaseNamespaceEnv))
