# The engine `rmarkdown`: rmarkdown::render as anybody would call it; several formats share one knit.

exact_render <- function(request, log) {
  formats <- unlist(request$formats)
  if (length(formats) == 1 || isTRUE(request$separate)) return(render_each(request, formats, log))
  knitted <- log$phase("knit", knit_once(request))
  outputs <- lapply(formats, function(format) {
    log$phase(format, as_output(format, render_file(knitted, format, request, NULL)))
  })
  list(outputs = outputs, figures = collect_figures(figure_directories()), knits = 1L)
}

render_each <- function(request, formats, log) {
  outputs <- lapply(formats, function(format) {
    log$phase(format, as_output(format, render_file(request$source, format, request, request$params)))
  })
  list(outputs = outputs, figures = collect_figures(figure_directories()), knits = length(formats))
}

figure_directories <- function() {
  found <- list.dirs(".", recursive = TRUE)
  found[grepl("_files/figure-[a-z0-9]+$|^[.]/figure$", found)]
}

render_file <- function(input, format, request, params) {
  chosen <- rmarkdown::resolve_output_format(input, format_name(input, format))
  if (isTRUE(request$figures)) chosen$knitr$opts_chunk$dev <- unique(c(chosen$knitr$opts_chunk$dev, "png"))
  rmarkdown::render(
    input, chosen,
    output_file = paste0(tools::file_path_sans_ext(request$source), extension_of[[format]]),
    params = params, envir = new.env(parent = globalenv()), clean = FALSE, quiet = FALSE
  )
}

extension_of <- list(html = ".html", pdf = ".pdf", word = ".docx")

# The first format of the front matter that makes the kind asked for, so that its options count.
format_name <- function(input, format) {
  kinds <- list(
    html = c("html_document", "html_vignette", "html_notebook", "ioslides_presentation", "slidy_presentation"),
    pdf = c("pdf_document", "latex_document", "beamer_presentation"),
    word = "word_document"
  )
  declared <- sub("^rmarkdown::", "", rmarkdown::all_output_formats(input))
  wanted <- setdiff(kinds[[format]], "latex_document")
  c(intersect(declared, wanted), wanted)[[1]]
}

# Plain Markdown figures, no HTML or LaTeX of knitr's own: every format can be made from it.
knit_once <- function(request) {
  neutral <- rmarkdown::output_format(
    knitr = rmarkdown::knitr_options(
      opts_chunk = list(dev = "png", dpi = 192, fig.retina = NULL, fig.width = 6.5, fig.height = 4.5)
    ),
    pandoc = rmarkdown::pandoc_options(to = "markdown"), clean_supporting = FALSE
  )
  rmarkdown::render(
    request$source, neutral, params = request$params, envir = new.env(parent = globalenv()),
    run_pandoc = FALSE, clean = FALSE, quiet = FALSE
  )
  knitted <- paste0(tools::file_path_sans_ext(request$source), ".knit.md")
  if (!file.exists(knitted)) stop("knitr left no ", knitted)
  knitted
}

has_framed <- function() {
  if (is.null(known$framed)) {
    found <- suppressWarnings(system2("kpsewhich", "framed.sty", stdout = TRUE, stderr = FALSE))
    known$framed <- length(found) > 0
  }
  known$framed
}

# pandoc colours code in LaTeX with the framed package, the one file of TeX Live's large collection of
# extras that every PDF with code needs. Where it is not installed, code stands without a background.
stand_in_for_framed <- function() {
  if (has_framed()) return(invisible())
  environments <- c("snugshade", "snugshade*", "shaded", "framed", "leftbar")
  writeLines(c(
    "\\NeedsTeXFormat{LaTeX2e}", "\\ProvidesPackage{framed}[2026/11/15 stand-in without frames]",
    paste0("\\newenvironment{", environments, "}{\\par}{\\par}"), "\\endinput"
  ), "framed.sty")
}
