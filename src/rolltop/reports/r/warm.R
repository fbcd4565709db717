# A warm R: a template of rolltop.confine that renders each request in a fork of itself.
#
# The template takes every path of a render once and never runs a document's code. A fork has a pair of pipes of its
# own: it gets its request there, reports events by rolltop_progress, and answers.

render_text <- function(request) {
  structure(answer_json(render_job(jsonlite::parse_json(request), rolltop_progress)), class = "json")
}

# Takes every path of a render once, before anything is forked.
warm_up <- function(packages = character()) {
  for (package in c("rmarkdown", "knitr", "jsonlite", "tinytex", "parallel", packages)) {
    try(loadNamespace(package), silent = TRUE)
  }
  request <- list(source = "warm.Rmd", files = list(warm.Rmd = jsonlite::base64_enc(charToRaw(warm_document(packages)))))
  for (format in c("html", "word")) render_job(c(request, list(formats = format, engine = "rmarkdown")))
  render_job(c(request, list(formats = "html", engine = "fast")))
  for (state in list(knitr::opts_chunk, knitr::opts_knit, knitr::knit_hooks, knitr::opts_hooks)) state$restore()
  if (nzchar(Sys.which("kpsewhich"))) has_framed()
  options(warn = 0) # as in an R that was not warm
  invisible(gc(FALSE))
}

warm_document <- function(packages) {
  plots <- "plot(cars)\nsummary(cars)"
  if ("ggplot2" %in% packages) {
    plots <- c(plots, "print(ggplot2::ggplot(cars, ggplot2::aes(speed, dist)) + ggplot2::geom_point())")
  }
  paste(c("---", "title: warm", "---", "", "```{r}", plots, "```", ""), collapse = "\n")
}
