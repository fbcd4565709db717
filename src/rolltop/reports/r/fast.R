# The engine `fast`: knitr and pandoc alone, without rmarkdown's page and without pandoc's highlighting,
# which costs more than all the rest.

fast_render <- function(request, log) {
  formats <- unlist(request$formats)
  groups <- if (isTRUE(request$separate)) as.list(formats) else list(formats)
  outputs <- unlist(lapply(groups, function(group) {
    markdown <- log$phase("knit", fast_knit(request, group))
    lapply(group, function(format) log$phase(format, fast_convert(request$source, markdown, format)))
  }), recursive = FALSE)
  list(outputs = outputs, figures = collect_figures("figure"), knits = length(groups))
}

fast_knit <- function(request, formats) {
  vector <- !isTRUE(request$figures) && !("word" %in% formats)
  knitr::opts_knit$set(rmarkdown.pandoc.to = if (length(formats) == 1) pandoc_target[[formats]] else "markdown", progress = TRUE)
  knitr::opts_chunk$set(
    dev = if (vector) "svg" else "png", dpi = 120, fig.path = "figure/", fig.width = 6.5, fig.height = 4.5,
    error = FALSE
  )
  knitr::render_markdown()
  environment <- new.env(parent = globalenv())
  declared <- knitr::knit_params(readLines(request$source, encoding = "UTF-8", warn = FALSE))
  if (length(declared) || length(request$params)) {
    environment$params <- fast_params(declared, request$params)
    lockBinding("params", environment)
  }
  knitr::knit(request$source, "fast.md", envir = environment, encoding = "UTF-8")
}

fast_params <- function(declared, given) {
  values <- lapply(declared, function(param) param$value)
  names(values) <- vapply(declared, function(param) param$name, "")
  unknown <- setdiff(names(given), names(values))
  if (length(unknown)) stop("render params not declared in YAML: ", paste(unknown, collapse = ", "), call. = FALSE)
  utils::modifyList(values, as.list(given))
}

pandoc_target <- list(html = "html5", word = "docx", pdf = "json")

# A PDF leaves here as pandoc's JSON; what sets the page reads that.
fast_convert <- function(source, markdown, format) {
  to <- pandoc_target[[format]]
  output <- paste0(tools::file_path_sans_ext(source), if (format == "pdf") ".json" else extension_of[[format]])
  from <- "markdown+autolink_bare_uris+tex_math_single_backslash"
  whole <- if (rmarkdown::pandoc_available("2.19")) c("--standalone", "--embed-resources") else "--self-contained"
  extra <- switch(format, html = c(whole, "--mathml", "--include-in-header", fast_style()), character())
  arguments <- c(markdown, "--from", from, "--to", to, "--no-highlight", extra, "--output", output)
  said <- suppressWarnings(system2(rmarkdown::pandoc_exec(), shQuote(arguments), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) stop("pandoc failed: ", paste(said, collapse = "\n"), call. = FALSE)
  as_output(format, output)
}

fast_style <- function() {
  style <- "fast-style.html"
  if (!file.exists(style)) writeLines(fast_css, style)
  style
}

fast_css <- c(
  "<style>",
  "body{max-width:52rem;font:16px/1.55 system-ui,sans-serif;color:#222}",
  "pre{background:#f6f7f8;border:1px solid #e3e5e8;border-radius:4px;padding:.6rem .8rem;overflow-x:auto}",
  "pre,code{font:14px/1.45 ui-monospace,monospace}",
  "img{max-width:100%}table{border-collapse:collapse}td,th{padding:.2rem .6rem}",
  "</style>"
)
