suppressMessages(library(roxygen2))
files <- commandArgs(TRUE)
out <- lapply(files, function(file) {
  blocks <- suppressWarnings(suppressMessages(parse_file(file, env = NULL)))
  lapply(blocks, function(block) {
    params <- Filter(function(tag) tag$tag == "param" && !is.null(tag$val), block$tags)
    keywords <- unlist(lapply(Filter(function(tag) tag$tag == "keywords", block$tags), function(tag) strsplit(trimws(tag$val), "[[:space:],]+")))
    value <- if (length(block$call) == 3) block$call[[3]]
    list(
      name = if (length(block$call) == 3) as.character(block$call[[2]]) else NULL,
      formals = if (is.call(value) && identical(value[[1]], as.name("function"))) I(as.character(names(value[[2]]))),
      title = block_get_tag_value(block, "title"),
      params = I(vapply(params, function(tag) tag$val$name, "")),
      texts = I(vapply(params, function(tag) paste(strsplit(trimws(tag$val$description), "\\s+")[[1]], collapse = " "), "")),
      keywords = I(as.character(keywords))
    )
  })
})
cat(jsonlite::toJSON(out, auto_unbox = TRUE, null = "null"))
