# Plots as Markdown that pandoc makes every format of. As soon as a chunk sets a width, an alignment or an
# alternative text, knitr's own hook writes HTML tags, which pandoc leaves out of PDF and Word.

plain_plot <- function(file, options) {
  if (identical(options$fig.show, "animate")) return(knitr::hook_plot_md(file, options))
  caption <- gsub("\\s+", " ", paste(options$fig.cap, collapse = " "))
  alone <- identical(options$fig.show, "asis") || options$fig.num <= 1
  image <- plot_image(file, options, if (alone) caption else "")
  if (alone) return(in_figure(image, options$fig.align, captioned = nzchar(caption)))
  # Plots that stand together: one opens the figure, the last one closes it, with the caption.
  paste0(
    if (options$fig.cur <= 1) figure_start(options$fig.align, captioned = FALSE), image, " ",
    if (options$fig.cur == options$fig.num) paste0(if (nzchar(caption)) paste0("\n\n", caption), figure_end(options$fig.align))
  )
}

# knitr's own, which writes HTML where a chunk sets a width or an alignment. A caption needs a paragraph of its own.
page_plot <- function(file, options) {
  image <- knitr::hook_plot_md(file, options)
  captioned <- length(options$fig.cap) && startsWith(image, "![")
  if (captioned) paste0("\n\n", image, "\n\n") else image
}

plot_image <- function(file, options, caption) {
  alt <- gsub("\\s+", " ", paste(options$fig.alt, collapse = " "))
  words <- if (nzchar(caption)) caption else gsub("([][\\\\`*_<$])", "\\\\\\1", alt)
  image <- paste0("![", words, "](", plot_target(file), ")", plot_attributes(file, options, if (nzchar(caption)) alt else ""))
  link <- options$fig.link
  if (!is.null(link) && !is.na(link)) image <- paste0("[", image, "](", link, ")")
  # Without a caption it is a picture in a paragraph, not a figure that floats away; the comment says so to pandoc.
  if (nzchar(caption)) image else paste0(image, "<!-- -->")
}

plot_target <- function(file) if (grepl("[ ()]", file)) paste0("<", file, ">") else file

# Where a chunk sets no size, PDF and Word take the picture's own, or that of the page if it is smaller; a page of
# HTML would show every dot of it, hence a style that only HTML sees.
plot_attributes <- function(file, options, alt) {
  size <- c(width = plain_length(options[["out.width"]]), height = plain_length(options[["out.height"]]))
  drawn <- startsWith(file, options$fig.path)
  text <- c(
    if (length(size)) paste0(names(size), "=", size),
    if (!length(size) && drawn) paste0("style=\"width: ", format(options$fig.width, digits = 6), "in\""),
    if (nzchar(alt)) paste0("alt=\"", gsub("[\"\\\\]", "", alt), "\"")
  )
  if (length(text)) paste0("{", paste(text, collapse = " "), "}") else ""
}

# A length that pandoc knows; shares of LaTeX's line become per cent. NULL when it is neither.
plain_length <- function(given) {
  if (is.null(given) || !length(given) || is.na(given[[1]])) return(NULL)
  given <- trimws(as.character(given[[1]]))
  if (grepl("^[0-9.]+$", given)) return(paste0(given, "px"))
  if (grepl("^[0-9.]+(px|cm|mm|in|inch|pt|pc|em|%)$", given)) return(given)
  share <- sub("\\\\(textwidth|linewidth|columnwidth)$", "", given)
  if (share == given || !grepl("^[0-9.]*$", share)) return(NULL)
  paste0(if (nzchar(share)) 100 * as.numeric(share) else 100, "%")
}

in_figure <- function(image, align, captioned) {
  if (!captioned && !is_aligned(align)) return(image)
  paste0(figure_start(align, captioned), image, figure_end(align))
}

is_aligned <- function(align) isTRUE(align %in% c("left", "center", "right"))

# LaTeX sets what floats in the middle anyway; what does not float needs an environment.
figure_start <- function(align, captioned) {
  if (!is_aligned(align)) return("\n\n")
  environment <- c(left = "flushleft", center = "center", right = "flushright")[[align]]
  latex <- if (captioned) "" else " data-latex=\"\""
  paste0("\n\n::: {.", environment, latex, " style=\"text-align: ", align, "\"}\n")
}

figure_end <- function(align) if (is_aligned(align)) "\n:::\n\n" else "\n\n"
