# Chunks with cache=TRUE, kept between renders. What knitr saves of a chunk is handed over as soon as the chunk has ended,
# before any later code runs, so that nothing later can change it; whoever keeps it knows the chunk by a key that covers
# everything before it. What was kept comes back with the request and is put where knitr looks for it.

kept_chunks <- new.env()

MOST_KEPT <- 8 * 2^20

watch_chunks <- function(request) {
  kept_chunks$keys <- request$chunk_keys
  kept_chunks$offered <- request$chunks
  kept_chunks$running <- NULL
  kept_chunks$reused <- character()
  kept_chunks$left <- MOST_KEPT
  if (!length(kept_chunks$keys)) return(invisible())
  for (label in names(request$chunks)) unpack_files(request$chunks[[label]])
  knitr::opts_hooks$set(cache = with_chunk_key)
}

# knitr compares all options of a chunk, so the key of what comes before it is made one of them.
with_chunk_key <- function(options) {
  key <- kept_chunks$keys[[options$label]]
  if (is.null(key) || !identical(options$engine, "R") || !isTRUE(as.numeric(options$cache) %in% c(1, 3))) return(options)
  options$cache.extra <- list(options$cache.extra, key)
  running <- list(label = options$label, cache = options$cache.path, figures = paste0(options$fig.path, options$label, "-"))
  running$before <- chunk_stamps(running)
  kept_chunks$running <- running
  if (!is.null(kept_chunks$offered[[options$label]])) attach_packages(options$cache.path)
  options
}

# knitr attaches the packages of a chunk that it loads only where a later chunk is cached, too.
attach_packages <- function(path) {
  listed <- paste0(path, "__packages")
  if (!file.exists(listed)) return(invisible())
  for (package in readLines(listed)) suppressPackageStartupMessages(library(package, character.only = TRUE))
}

chunk_files <- function(chunk) {
  files <- list.files(dirname(paste0(chunk$cache, "x")), full.names = TRUE)
  saved <- files[startsWith(basename(files), paste0(chunk$label, "_")) & grepl("_[0-9a-f]{32}[.](rdb|rdx|RData)$", files)]
  list(saved = saved, figures = Sys.glob(paste0(chunk$figures, "*")), packages = files[basename(files) == "__packages"])
}

chunk_stamps <- function(chunk) {
  saved <- chunk_files(chunk)$saved
  stats::setNames(as.numeric(file.mtime(saved)), saved)
}

# Called between two pieces of the document, before the second one runs.
hand_over_chunk <- function(report) {
  chunk <- kept_chunks$running
  kept_chunks$running <- NULL
  if (is.null(chunk)) return(invisible())
  files <- chunk_files(chunk)
  if (!length(files$saved)) return(invisible())
  if (identical(chunk_stamps(chunk), chunk$before)) {
    kept_chunks$reused <- c(kept_chunks$reused, chunk$label)
    return(invisible())
  }
  paths <- unlist(files)
  kept_chunks$left <- kept_chunks$left - 4 / 3 * sum(file.size(paths))
  if (kept_chunks$left < 0) return(invisible())
  data <- stats::setNames(lapply(paths, xfun::base64_encode), paths)
  report(list(phase = "cache", chunk = chunk$label, files = data))
}
