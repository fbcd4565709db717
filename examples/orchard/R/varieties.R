varieties <- data.frame(
  name = c("Boskoop", "Discovery", "Elstar", "Topaz", "Winterbanana"),
  season = c("late", "early", "middle", "late", "late"),
  sweetness = c(2, 4, 4, 3, 3),
  storage_weeks = c(24L, 2L, 12L, 20L, 10L)
)

#' List apple varieties
#'
#' Lists the varieties that grow in the orchard, with their season and how long they keep.
#' Use it before you write a harvest down, because [mcp_tool_harvest_add()] takes only known names.
#'
#' @param season Character. Only varieties of this season.
#' @param min_weeks Integer. Only varieties that keep at least this many weeks.
#' @param fields Character vector. Columns to show.
#' @return Data frame. One row per variety.
#' @examples
#' # What keeps until spring?
#' mcp_tool_variety_list(season = "late", min_weeks = 20L)
#' @keywords mcp-tool mcp-category-varieties
#' @noRd
mcp_tool_variety_list <- function(
  season = c("any", "early", "middle", "late"), # first one is the default
  min_weeks = 0L,
  fields = c("name", "season", "sweetness", "storage_weeks")
) {
  season <- match.arg(season)
  fields <- match.arg(fields, several.ok = TRUE)
  wanted <- varieties$storage_weeks >= min_weeks & (season == "any" | varieties$season == season)
  found <- varieties[wanted, fields, drop = FALSE]
  rownames(found) <- NULL
  found
}

#' Relate sweetness to storage
#'
#' Fits a linear model of the weeks a variety keeps against its sweetness.
#'
#' @return A fitted model of class `lm`.
#' @examples
#' mcp_tool_variety_model()
#' @keywords mcp-tool mcp-category-varieties
#' @noRd
mcp_tool_variety_model <- function() lm(storage_weeks ~ sweetness, data = varieties)
