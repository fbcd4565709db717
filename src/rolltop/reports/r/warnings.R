# What was rendered and is not as its author meant it: a picture that Word goes without, a citation that is not in the
# bibliography, a language that knitr does not run. Nothing of it ends a render, so nobody would look into the log.

warned <- new.env()
warned$texts <- character()

add_warnings <- function(texts) {
  texts <- texts[!grepl("^incomplete final line found on", texts)]
  warned$texts <- utils::head(unique(c(warned$texts, substr(texts, 1, 300))), 20)
}

# pandoc writes what it has to say into a file, too, which the latest run of it makes anew.
pandoc_log <- function() our_file("pandoc.json")

note_pandoc_warnings <- function() {
  if (!file.exists(pandoc_log())) return(invisible())
  entries <- tryCatch(jsonlite::read_json(pandoc_log()), error = function(e) list())
  unlink(pandoc_log())
  meant <- Filter(function(entry) isTRUE(entry$verbosity %in% c("WARNING", "ERROR")) && !identical(entry$type, "NoTitleElement"), entries)
  add_warnings(vapply(meant, pandoc_warning, ""))
}

# "could not fetch resource nope.png: replacing image with description"; since version 3 pandoc says it itself.
pandoc_warning <- function(entry) {
  if (is.character(entry$pretty)) return(gsub("\\s+", " ", entry$pretty))
  about <- Filter(is.character, list(entry$path, entry$contents))
  text <- paste(c(tolower(gsub("([a-z])([A-Z])", "\\1 \\2", entry$type)), about), collapse = " ")
  if (is.character(entry$message)) paste0(text, ": ", entry$message) else text
}
