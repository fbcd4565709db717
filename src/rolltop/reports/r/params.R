# Values for the params of a document, as they would be had they stood in its front matter.

# An array of JSON comes as a list; YAML gives a vector where all elements are of one kind.
as_in_yaml <- function(value) {
  if (!is.list(value)) return(value)
  value <- lapply(value, as_in_yaml)
  if (!is.null(names(value)) || !length(value) || any(lengths(value) != 1L)) return(value)
  kinds <- unique(vapply(value, function(item) if (is.numeric(item)) "number" else if (is.list(item)) "list" else typeof(item), ""))
  if (length(kinds) == 1 && kinds != "list") unlist(value) else value
}

# The values to render with, NULL when none were given. What the front matter does not declare is an error, also
# where it declares nothing at all: rmarkdown would render without a word.
given_params <- function(request) {
  given <- request$params
  if (!length(given)) return(NULL)
  unknown <- setdiff(names(given), declared_params(request$source)$names)
  if (length(unknown)) stop("render params not declared in YAML: ", paste(unknown, collapse = ", "), call. = FALSE)
  lapply(given, as_in_yaml)
}

declared_params <- function(source) {
  declared <- knitr::knit_params(readLines(source, encoding = "UTF-8", warn = FALSE))
  list(names = vapply(declared, function(param) param$name, ""), values = lapply(declared, function(param) param$value))
}
