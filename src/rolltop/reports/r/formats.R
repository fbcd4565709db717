# Which output format makes the kind asked for, and whether what it needs is there.

plain_formats <- list(
  html = c("html_document", "html_vignette", "html_notebook", "ioslides_presentation", "slidy_presentation"),
  pdf = c("pdf_document", "beamer_presentation"),
  word = "word_document",
  pptx = "powerpoint_presentation",
  md = c("md_document", "github_document")
)

bare_name <- function(name) sub("^rmarkdown::", "", name)

is_plain <- function(name) bare_name(name) %in% unlist(plain_formats)

# The first format of the front matter that makes the kind asked for, so that its options count, those of packages
# included. One of a package that is not installed is chosen when nothing else says that it is of another kind:
# the error then names the package.
format_name <- function(input, format) {
  declared <- rmarkdown::all_output_formats(input)
  made <- vapply(declared, function(name) kind_of(name, input), "")
  chosen <- c(declared[made == format], declared[made == "unknown"], plain_formats[[format]])
  chosen[[1]]
}

kind_of <- function(name, input) {
  for (kind in names(plain_formats)) if (bare_name(name) %in% plain_formats[[kind]]) return(kind)
  made <- tryCatch(rmarkdown::resolve_output_format(input, name), error = function(e) NULL)
  if (is.null(made)) return(kind_by_name(name))
  to <- paste(made$pandoc$to, collapse = "")
  if (identical(made$pandoc$ext, ".html") || grepl("^(html|slidy|revealjs|s5|slideous|dzslides)", to)) return("html")
  # Packages that set .tex have LaTeX run by themselves.
  if (grepl("^(latex|beamer)", to) && bare_name(name) != "latex_document") return("pdf")
  if (grepl("^docx", to)) "word" else if (grepl("^pptx", to)) "pptx" else "other"
}

kind_by_name <- function(name) {
  marks <- c(pdf = "pdf|latex|beamer", word = "word|docx", pptx = "powerpoint|pptx", html = "html|dashboard|gitbook|reveal|slid|moon")
  for (kind in names(marks)) if (grepl(marks[[kind]], sub("^.*::", "", name))) return(kind)
  "unknown"
}

chosen_format <- function(input, format, request) {
  name <- format_name(input, format)
  # A page is answered as one file: what it needs has to be in it, whatever the front matter says.
  always <- if (format == "html" && takes_self_contained(name)) list(self_contained = TRUE)
  chosen <- rmarkdown::resolve_output_format(input, name, always)
  if (isTRUE(request$figures)) chosen$knitr$opts_chunk$dev <- unique(c(chosen$knitr$opts_chunk$dev, "png"))
  if (format == "pdf") need_program(chosen$pandoc$latex_engine)
  # knitr's own hook writes bare LaTeX, and a page or a letter then shows 1.5^{6} for 1.5 million.
  if (format != "pdf" && is.null(chosen$knitr$knit_hooks$inline)) chosen$knitr$knit_hooks$inline <- plain_inline
  chosen$pandoc$args <- c(chosen$pandoc$args, "--log", pandoc_log())
  chosen
}

takes_self_contained <- function(name) {
  if (is_plain(name)) return(TRUE)
  any(c("self_contained", "...") %in% names(formals(eval(parse(text = name)[[1]], asNamespace("rmarkdown")))))
}

# Asked before the code runs: what LaTeX's absence makes of a render says little about it.
need_program <- function(name) {
  if (is.null(name) || nzchar(Sys.which(name))) return(invisible())
  stop(structure(class = c("program_missing", "error", "condition"), list(message = name, call = NULL)))
}
