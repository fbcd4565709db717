# Renders once and ends. What a container runs, and a local R that was not warm.
#
# Marked lines are ours: progress on standard error, the answer on standard output. Everything else that
# appears there was printed by the document.

emit <- function(kind, value, to) {
  text <- jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", digits = NA)
  cat("\n\001rolltop-", kind, " ", text, "\n", sep = "", file = to)
  flush(to)
}

render_once <- function(text) {
  answer <- render_job(jsonlite::parse_json(text), function(event) emit("event", event, stderr()))
  emit("answer", answer, stdout())
}
