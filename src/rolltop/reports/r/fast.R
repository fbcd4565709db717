# The engine `fast`: knitr and pandoc alone, without rmarkdown's page and without pandoc's highlighting,
# which costs more than all the rest.

fast_render <- function(request, log) {
  unfit$why <- NULL
  formats <- unlist(request$formats)
  if (length(formats) > 1 && !isTRUE(request$separate)) {
    watch_for_questions()
    outputs <- fast_group(request, formats, log)
    if (!was_asked()) return(list(outputs = with_text(outputs), figures = collect_figures(), knits = 1L, unfit = unfit$why))
    forget_figures()
  }
  outputs <- unlist(lapply(formats, function(format) fast_group(request, format, log)), recursive = FALSE)
  list(outputs = with_text(outputs), figures = collect_figures(), knits = length(formats) + was_asked(), unfit = unfit$why)
}

# Why the page is less than rmarkdown's, where that came out only when the code had run; NULL when it is not.
unfit <- new.env()

with_text <- function(outputs) {
  if (any(vapply(outputs, function(output) output$format == "md", NA))) return(outputs)
  c(outputs, list(as_output("md", our_file("fast.md"))))
}

# Formats that are made from one knit.
fast_group <- function(request, formats, log) {
  markdown <- log$phase("knit", fast_knit(request, formats))
  if (length(formats) > 1 && was_asked()) return(NULL)
  if ("html" %in% formats && length(knitr::knit_meta(clean = FALSE))) unfit$why <- "the code writes widgets, which need scripts"
  lapply(formats, function(format) log$phase(format, fast_convert(request$source, markdown, format)))
}

fast_knit <- function(request, formats) {
  vector <- !any(c("word", "pptx", "md") %in% formats)
  knitr::opts_knit$set(rmarkdown.pandoc.to = if (length(formats) == 1) pandoc_target[[formats]] else "markdown", progress = TRUE)
  knitr::opts_chunk$set(
    dev = c(if (vector) "svg", if (!vector || isTRUE(request$figures)) "png"), dpi = 96, fig.path = "figure/", fig.width = 6.5, fig.height = 4.5,
    error = FALSE
  )
  knitr::render_markdown()
  knitr::knit_hooks$set(inline = plain_inline)
  knitr::knit_hooks$set(plot = if (identical(formats, "html")) page_plot else plain_plot)
  environment <- new.env(parent = globalenv())
  declared <- declared_params(request$source)
  if (length(declared$names)) {
    values <- stats::setNames(declared$values, declared$names)
    environment$params <- utils::modifyList(values, as.list(request$params), keep.null = TRUE)
    lockBinding("params", environment)
  }
  knitr::knit(request$source, our_file("fast.md"), envir = environment, encoding = "UTF-8")
}

pandoc_target <- list(html = "html5", word = "docx", pdf = "json", pptx = "pptx", md = "markdown")

# A PDF leaves here as pandoc's JSON and the pictures that it names; what sets the page reads that. pandoc's own HTML template and its way
# of embedding pictures cost more than the conversion, hence the small template and `embed_pictures`.
fast_convert <- function(source, markdown, format) {
  if (format == "md") return(as_output(format, markdown))
  output <- our_file(paste0(tools::file_path_sans_ext(source), if (format == "pdf") ".json" else extension_of[[format]]))
  from <- "markdown+autolink_bare_uris+tex_math_single_backslash"
  extra <- if (format == "html") c("--mathml", "--template", page_template()) else character()
  arguments <- c(markdown, "--from", from, "--to", pandoc_target[[format]], "--no-highlight", extra, "--log", pandoc_log(), "--output", output)
  said <- suppressWarnings(system2(rmarkdown::pandoc_exec(), shQuote(arguments), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) stop("pandoc failed: ", paste(said, collapse = "\n"), call. = FALSE)
  note_pandoc_warnings()
  if (format == "html") {
    if (any(grepl("could not convert te ?x ?math", warned$texts, ignore.case = TRUE))) unfit$why <- "a formula has no MathML"
    embed_pictures(output)
    remove_active_elements(output)
    colour_code(output)
  }
  c(as_output(format, output), if (format == "pdf") list(pictures = pictures_of(output)))
}

# Pictures of the document itself become part of the page; addresses elsewhere stay as they are.
embed_pictures <- function(page) {
  html <- readChar(page, file.size(page), useBytes = TRUE)
  tags <- gregexpr('<img\\s+src="[^"]+"', html, useBytes = TRUE)
  found <- regmatches(html, tags)[[1]]
  if (!length(found)) return(invisible())
  path <- utils::URLdecode(sub('^<img\\s+src="', "", sub('"$', "", found)))
  local <- file.exists(path) & !dir.exists(path) & !grepl("^/|^data:", path)
  missing <- unique(path[!local & !grepl("^[a-z]+:|^//", path, ignore.case = TRUE)])
  add_warnings(paste0("could not find the picture ", missing, recycle0 = TRUE))
  found[local] <- paste0('<img src="', vapply(path[local], knitr::image_uri, ""), '"')
  regmatches(html, tags) <- list(found)
  writeBin(charToRaw(html), page)
}

# The page needs no scripts, and its policy runs none; what could lead the reader elsewhere goes from the text as well.
remove_active_elements <- function(page) {
  html <- readChar(page, file.size(page), useBytes = TRUE)
  Encoding(html) <- "bytes" # so that places are counted alike by all that follows
  start <- regexpr("</head>", html, fixed = TRUE, useBytes = TRUE)
  head <- substr(html, 1, start - 1)
  body <- substr(html, start, nchar(html, "bytes"))
  if (grepl(unfit_elements, body, perl = TRUE, useBytes = TRUE)) {
    unfit$why <- "the code writes HTML that the plain page leaves out or does not style"
  }
  for (element in c("(?is)<script\\b.*?(</script\\s*>|$)", "(?is)<(meta|base|link|script)\\b[^>]*>")) {
    body <- gsub(element, "", body, perl = TRUE, useBytes = TRUE)
  }
  writeBin(charToRaw(paste0(head, body)), page)
}

# Of what the text itself has, the engine's choice knew; code shown as code is escaped by now.
unfit_elements <- "(?i)<(script|iframe|video|canvas|details|link)\\b"

page_policy <- paste(
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:;",
  "form-action 'none'; base-uri 'none'"
)

page_template <- function() {
  template <- our_file("page.html")
  if (!file.exists(template)) writeLines(page_lines, template)
  template
}
