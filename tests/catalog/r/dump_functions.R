args <- commandArgs(TRUE)
for (package in args[-1]) {
  if (!requireNamespace(package, quietly = TRUE)) next
  ns <- asNamespace(package)
  is_plain <- function(name) typeof(get(name, ns)) == "closure" && make.names(name) == name
  functions <- Filter(is_plain, ls(ns, all.names = TRUE))
  file <- file.path(args[1], paste0(package, ".R"))
  writeLines(unlist(lapply(functions, function(name) {
    keep <- c("keepNA", "keepInteger", "showAttributes")
    code <- tryCatch(deparse(get(name, ns), control = keep), error = function(e) "NULL")
    c(paste("#' Documentation of", name), paste0("`", name, "` <- "), code)
  })), file, useBytes = TRUE)
}
