# The engine `rmarkdown`: rmarkdown::render as anybody would call it; several formats share one knit.

exact_render <- function(request, log) {
  formats <- unlist(request$formats)
  shared <- identical(formats, "md") || (length(formats) > 1 && !isTRUE(request$separate))
  looks <- if (shared) shared_looks(request$source, formats)
  if (is.null(looks)) return(render_each(request, formats, log))
  watch_for_questions()
  knitted <- log$phase("knit", knit_once(request, looks))
  text <- as_output("md", knitted)
  if (was_asked()) {
    forget_figures()
    each <- render_each(request, formats, log)
    each$knits <- each$knits + 1L
    return(each)
  }
  outputs <- lapply(setdiff(formats, "md"), function(format) {
    log$phase(format, as_output(format, render_file(knitted, format, request, NULL)))
  })
  list(outputs = c(outputs, list(text)), figures = collect_figures(), knits = 1L)
}

render_each <- function(request, formats, log) {
  text <- NULL
  outputs <- lapply(formats, function(format) {
    if (format == "md") return(log$phase(format, as_output(format, knit_once(request, list()))))
    made <- log$phase(format, as_output(format, render_file(request$source, format, request, request$params)))
    if (is.null(text)) text <<- knitted_text()
    made
  })
  if (!("md" %in% formats)) outputs <- c(outputs, text)
  list(outputs = outputs, figures = collect_figures(), knits = length(formats))
}

# The Markdown that knitr wrote and rmarkdown left for pandoc; an empty list where a package's format keeps none.
knitted_text <- function() {
  found <- list.files(".", pattern = "[.]knit[.]md$")
  if (!length(found)) return(list())
  list(as_output("md", found[[which.max(file.mtime(found))]]))
}

render_file <- function(input, format, request, params) {
  made <- rmarkdown::render(
    input, chosen_format(input, format, request),
    output_file = paste0(tools::file_path_sans_ext(request$source), extension_of[[format]]),
    params = params, envir = new.env(parent = globalenv()), clean = FALSE, quiet = FALSE
  )
  note_pandoc_warnings()
  made
}

extension_of <- list(html = ".html", pdf = ".pdf", word = ".docx", pptx = ".pptx")

# What the front matter says about figures and tables in the formats asked for, as one knit for all of them can
# honour it; NULL when it says different things, what only one of them understands, or asks for a package's format.
shared_looks <- function(source, formats) {
  names <- vapply(formats, function(format) format_name(source, format), "")
  if (!all(is_plain(names))) return(NULL)
  said <- lapply(unname(names), function(name) declared_looks(source, name))
  if (length(unique(said)) > 1) return(NULL)
  looks <- said[[1]]
  if (!is.null(looks$dev) || identical(looks$df_print, "paged")) NULL else looks
}

declared_looks <- function(source, name) {
  output <- rmarkdown::yaml_front_matter(source)$output
  if (!is.list(output)) return(list())
  options <- output[bare_name(names(output)) == bare_name(name)]
  looks <- if (length(options) && is.list(options[[1]])) options[[1]] else list()
  looks[sort(intersect(names(looks), c("fig_width", "fig_height", "dev", "df_print")))]
}

# Markdown without HTML or LaTeX of knitr's own: every format can be made from it.
knit_once <- function(request, looks) {
  or <- function(value, otherwise) if (is.null(value)) otherwise else value
  neutral <- rmarkdown::output_format(
    knitr = rmarkdown::knitr_options(
      opts_chunk = list(
        dev = "png", dpi = 192, fig.retina = NULL,
        fig.width = or(looks$fig_width, 6.5), fig.height = or(looks$fig_height, 4.5)
      ),
      knit_hooks = list(plot = plain_plot, inline = plain_inline)
    ),
    pandoc = rmarkdown::pandoc_options(to = "markdown"), clean_supporting = FALSE, df_print = looks$df_print
  )
  # The name of what comes out is knitr's choice: it leaves out spaces and brackets.
  knitted <- rmarkdown::render(
    request$source, neutral, params = request$params, envir = new.env(parent = globalenv()),
    run_pandoc = FALSE, clean = FALSE, quiet = FALSE
  )
  basename(knitted)
}

has_framed <- function() {
  if (is.null(known$framed)) {
    found <- suppressWarnings(system2("kpsewhich", "framed.sty", stdout = TRUE, stderr = FALSE))
    known$framed <- length(found) > 0
  }
  known$framed
}

# pandoc colours code in LaTeX with the framed package, the one file of TeX Live's large collection of
# extras that every PDF with code needs. Where neither TeX nor the document has it, code stands without a background.
stand_in_for_framed <- function() {
  if (has_framed()) return(invisible())
  environments <- c("snugshade", "snugshade*", "shaded", "framed", "leftbar")
  writeLines(c(
    "\\NeedsTeXFormat{LaTeX2e}", "\\ProvidesPackage{framed}[2026/11/15 stand-in without frames]",
    paste0("\\newenvironment{", environments, "}{\\par}{\\par}"), "\\endinput"
  ), our_file("framed.sty"))
  Sys.setenv(TEXINPUTS = paste0(".:", ours$directory, ":", Sys.getenv("TEXINPUTS")))
}
