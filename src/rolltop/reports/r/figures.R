# Which plots a render drew: what knitr put where the document told it to, and not the files that were there before.

drawn <- new.env()

watch_figures <- function() {
  drawn$paths <- character()
  there <- list.files(".", recursive = TRUE, all.files = TRUE)
  drawn$before <- stats::setNames(as.numeric(file.mtime(there)), normalizePath(there))
  knitr::opts_hooks$set(fig.path = function(options) {
    drawn$paths <- unique(c(drawn$paths, options$fig.path))
    options
  })
}

# What a knit drew that does not count, so that nothing of it is taken for that of the next.
forget_figures <- function() {
  unlink(new_figures())
  drawn$paths <- character()
}

collect_figures <- function() {
  paths <- new_figures()
  paths <- paths[!duplicated(basename(paths))]
  lapply(paths, function(path) list(name = basename(path), data = as_base64(path)))
}

new_figures <- function() {
  paths <- unique(normalizePath(as.character(unlist(lapply(c(drawn$paths, figure_directories()), pictures_at)))))
  seen <- drawn$before[paths]
  paths[is.na(seen) | seen != as.numeric(file.mtime(paths))]
}

# A path for figures is the beginning of their names, of the directory alone or of more.
pictures_at <- function(path) {
  whole <- endsWith(path, "/")
  found <- list.files(if (whole) path else dirname(path), pattern = "[.](png|jpe?g|svg|pdf)$", full.names = TRUE)
  if (whole) found else found[startsWith(basename(found), basename(path))]
}

# Where they are unless a document says otherwise, also when it has taken our hook away.
figure_directories <- function() {
  found <- list.dirs(".", recursive = TRUE)
  paste0(found[grepl("_files/figure-[a-z0-9]+$|^[.]/figure$", found)], "/", recycle0 = TRUE)
}

# The pictures that a document tree of pandoc's shows, by the names that it uses for them.
pictures_of <- function(tree) {
  text <- readChar(tree, file.size(tree), useBytes = TRUE)
  if (!grepl('"t":"Image"', text, fixed = TRUE, useBytes = TRUE)) return(list())
  targets <- unique(image_targets(jsonlite::parse_json(text)))
  paths <- vapply(targets, picture_path, "")
  Map(function(target, path) list(name = target, data = as_base64(path)), targets[nzchar(paths)], paths[nzchar(paths)], USE.NAMES = FALSE)
}

image_targets <- function(node) {
  if (!is.list(node)) return(NULL)
  c(if (identical(node[["t"]], "Image")) node[["c"]][[3]][[1]], unlist(lapply(unname(node), image_targets)))
}

picture_path <- function(target) {
  decoded <- tryCatch(utils::URLdecode(target), error = function(e) target, warning = function(w) target)
  is_picture <- function(path) nzchar(path) && !is.na(path) && file.exists(path) && !dir.exists(path)
  for (path in c(target, decoded)) if (isTRUE(tryCatch(is_picture(path), error = function(e) FALSE))) return(path)
  ""
}
