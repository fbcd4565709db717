# Renders once and ends. What a container runs, and a local R that was not warm.
#
# Marked lines are ours: progress on standard error, the answer on standard output. Everything else that
# appears there was printed by the document.

emit <- function(kind, json, to) {
  cat("\n\001rolltop-", kind, " ", json, "\n", sep = "", file = to)
  flush(to)
}

render_once <- function(text) {
  answer <- render_job(jsonlite::parse_json(text), function(event) emit("event", to_json(event), stderr()))
  emit("answer", answer_json(answer), stdout())
}
