#' Write a harvest down
#'
#' Adds kilograms to the notes of this season. The notes are kept between calls.
#'
#' @param variety Character string, the name of a variety.
#'   Example values: \code{"Topaz"}, \code{"Elstar"}
#' @param kilos Numeric. Kilograms picked, e.g. `12.5`.
#' @param day Character. The day, as year-month-day; today when it is `NULL`.
#' @param .state_env Environment. The notes; filled in by the server.
#' @return Named list with the notes so far:
#' \describe{
#'   \item{entries}{Integer. How many entries there are.}
#'   \item{total}{Numeric. Kilograms of this variety in all.}
#' }
#' @examples
#' notes <- mcptool_state_factory()
#' mcp_tool_harvest_add("Topaz", 12.5, day = "2026-10-03", .state_env = notes)
#' mcp_tool_harvest_add("Topaz", 8, day = "2026-10-04", .state_env = notes)
#' @keywords mcp-tool mcp-category-harvest
#' @noRd
mcp_tool_harvest_add = function(variety, kilos, day = NULL, .state_env = NULL) {
  if (!variety %in% varieties$name) stop("no variety is called ", variety)
  if (kilos <= 0) warning("nothing was picked")
  if (is.null(day)) day <- format(Sys.Date())
  notes <- rbind(.state_env$get("notes"), data.frame(variety = variety, kilos = kilos, day = day))
  .state_env$set("notes", notes)
  list(entries = nrow(notes), total = sum(notes$kilos[notes$variety == variety]))
}

#' Summarise the harvest
#'
#' Sums the notes of this season up by variety.
#'
#' @inheritParams mcp_tool_harvest_add
#' @param by Character. What to sum up by.
#' @return Data frame. Kilograms by variety or day; no rows when nothing was written down.
#' @examples
#' notes <- mcptool_state_factory()
#' mcp_tool_harvest_add("Elstar", 3, day = "2026-09-20", .state_env = notes)
#' mcp_tool_harvest_summary(.state_env = notes)
#' @keywords mcp-tool mcp-category-harvest
#' @noRd
mcp_tool_harvest_summary <- function(by = c("variety", "day"), .state_env = NULL) {
  by <- match.arg(by)
  notes <- .state_env$get("notes", missing = data.frame(variety = character(), kilos = numeric(), day = character()))
  sums <- tapply(notes$kilos, factor(notes[[by]]), sum)
  result <- data.frame(as.character(names(sums)), as.numeric(sums))
  names(result) <- c(by, "kilos")
  result
}

#' Plot the harvest
#'
#' Draws a bar for each variety.
#'
#' @inheritParams mcp_tool_harvest_add
#' @param title Character string, the title above the plot.
#' @return NULL. The plot comes as an image.
#' @examples
#' notes <- mcptool_state_factory()
#' mcp_tool_harvest_add("Elstar", 3, day = "2026-09-20", .state_env = notes)
#' mcp_tool_harvest_plot("One good day", .state_env = notes)
#' @keywords mcp-tool mcp-category-harvest
#' @noRd
mcp_tool_harvest_plot <- \(title = "Harvest", .state_env = NULL) {
  sums <- mcp_tool_harvest_summary(.state_env = .state_env)
  if (nrow(sums) == 0) stop("nothing was written down yet")
  barplot(sums$kilos, names.arg = sums$variety, main = title, ylab = "kg")
  invisible(NULL)
}

#' Throw the notes away
#'
#' Forgets every entry of this season. This cannot be undone.
#'
#' @inheritParams mcp_tool_harvest_add
#' @return Integer. How many entries were thrown away.
#' @examples
#' notes <- mcptool_state_factory()
#' mcp_tool_harvest_clear(.state_env = notes)
#' @keywords internal
#' @keywords mcp-tool mcp-category-harvest mcp-dangerous mcp-requires-approval
#' @noRd
mcp_tool_harvest_clear <- function(.state_env = NULL) {
  entries <- NROW(.state_env$get("notes"))
  .state_env$remove("notes")
  entries
}

#' Read harvests from a file
#'
#' Reads a table with the columns variety, kilos and day, and sums it up by variety. Nothing is written down.
#'
#' @param file Character. A CSV file: in a folder that the owner of the server opened, or a stored document (doc://NAME).
#' @return Data frame. Kilograms by variety, the largest first.
#' @examples
#' table <- tempfile(fileext = ".csv")
#' writeLines(c("variety,kilos,day", "Topaz,12.5,2026-10-03", "Topaz,8,2026-10-12", "Boskoop,30,2026-10-10"), table)
#' mcp_tool_harvest_read(table)
#' @keywords mcp-tool mcp-category-harvest
#' @noRd
mcp_tool_harvest_read <- function(file) {
  read <- utils::read.csv(file)
  missing <- setdiff(c("variety", "kilos"), names(read))
  if (length(missing)) stop("the table has no column ", paste(missing, collapse = ", "))
  total <- stats::aggregate(kilos ~ variety, read, sum)
  total <- total[order(-total$kilos), ]
  rownames(total) <- NULL
  total
}
