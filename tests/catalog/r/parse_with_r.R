files <- commandArgs(TRUE)
out <- lapply(files, function(file) {
  parsed <- tryCatch(parse(file, keep.source = FALSE, encoding = "UTF-8"), error = function(e) NULL)
  if (is.null(parsed)) return(NULL)
  lapply(parsed, function(e) {
    if (is.call(e) && length(e) == 3 && as.character(e[[1]])[1] %in% c("<-", "=", "<<-") && (is.name(e[[2]]) || is.character(e[[2]]))) {
      value <- e[[3]]
      formals <- if (is.call(value) && identical(value[[1]], as.name("function"))) I(as.character(names(value[[2]]))) else NULL
      list(name = as.character(e[[2]]), formals = formals)
    } else list(name = NULL, formals = NULL)
  })
})
names(out) <- files
cat(jsonlite::toJSON(out, auto_unbox = TRUE, null = "null"))
