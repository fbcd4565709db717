# Whether a document, a file that it sources or a package that it uses has asked which format is being made: what a
# knit for several formats answers is then wrong for each of them.

questions <- new.env()

# All ways to ask lead to one option of knitr's.
watch_for_questions <- function() {
  questions$asked <- FALSE
  if (!is.null(questions$options)) return(invisible())
  questions$options <- watched <- knitr::opts_knit
  watched$get <- function(...) {
    given <- list(...)
    callers <- list(parent.frame(1), parent.frame(2), parent.frame(3))
    if (length(given) && identical(given[[1]], "rmarkdown.pandoc.to") && !is_knitr_itself(callers)) questions$asked <- TRUE
    questions$options$get(...)
  }
  utils::assignInNamespace("opts_knit", watched, "knitr")
}

# knitr asks all the time, to write what suits the format, and cli for each tibble, to choose its characters. It is the
# caller of the functions for asking that counts.
is_knitr_itself <- function(callers) {
  ways <- list(knitr::pandoc_to, knitr::is_html_output, knitr::is_latex_output)
  for (caller in callers) {
    at <- Position(function(frame) identical(frame, caller), sys.frames())
    if (!is.na(at) && any(vapply(ways, identical, NA, sys.function(at)))) next
    return(environmentName(topenv(caller)) %in% c("knitr", "rmarkdown", "cli"))
  }
  FALSE
}

was_asked <- function() isTRUE(questions$asked)
