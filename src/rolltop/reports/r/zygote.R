# A warm R that renders each request in a fork of itself, one after the other.
#
# Requests are lines of JSON on descriptor IN. Descriptor OUT carries lines: `event` and `answer` come from
# the fork, `ready` and `done` from here. This process never runs a document's code.

serve_forks <- function(input, output) {
  say <- function(kind, json) {
    cat(kind, " ", json, "\n", sep = "", file = output)
    flush(output)
  }
  say("ready", "{}")
  while (length(line <- readLines(input, 1L))) {
    forked <- tryCatch({
      fork <- parallel::mcparallel(
        {
          answer <- render_job(jsonlite::parse_json(line), function(event) say("event", to_json(event)))
          say("answer", answer_json(answer))
          NULL
        },
        silent = TRUE
      )
      parallel::mccollect(fork)
      TRUE
    }, error = function(e) FALSE, warning = function(w) TRUE)
    intact <- is_intact(tempdir())
    say("done", to_json(list(forked = forked, left = sweep_up(), intact = intact)))
  }
}

# A fork shares the temporary directory with this process: code that ends R takes it along, code may remove or
# close it, and no later document could be unpacked.
is_intact <- function(directory) dir.exists(directory) && file.access(directory, 3L) == 0L

# What a document left behind: files are removed, processes are counted (one that stays could answer in
# another document's name, so a sandbox with a leftover is not used again).
sweep_up <- function() {
  own <- basename(tempdir())
  strangers <- list.files(c("/tmp", "/dev/shm"), all.files = TRUE, no.. = TRUE, full.names = TRUE)
  unlink(setdiff(strangers, file.path("/tmp", own)), recursive = TRUE, force = TRUE)
  unlink(list.files(tempdir(), all.files = TRUE, no.. = TRUE, full.names = TRUE), recursive = TRUE, force = TRUE)
  for (attempt in 1:50) {
    left <- setdiff(grep("^[0-9]+$", list.files("/proc"), value = TRUE), c("1", Sys.getpid()))
    if (!length(left)) break
    Sys.sleep(0.01) # what has ended may still wait to be reaped
  }
  length(left)
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
  invisible(gc(FALSE))
}

warm_document <- function(packages) {
  plots <- "plot(cars)\nsummary(cars)"
  if ("ggplot2" %in% packages) {
    plots <- c(plots, "print(ggplot2::ggplot(cars, ggplot2::aes(speed, dist)) + ggplot2::geom_point())")
  }
  paste(c("---", "title: warm", "---", "", "```{r}", plots, "```", ""), collapse = "\n")
}
