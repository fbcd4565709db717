# JSON text as R values: arrays of single values are vectors, arrays of objects are data frames, and arrays of arrays of
# one shape are matrices where that is asked for. As jsonlite simplifies, but for one thing: there the texts "NA", "NaN"
# and "Inf" are missing values and numbers as soon as an array holds nothing else. Here text stays text.
read_json <- local({
  # parse_json, not fromJSON: that would take a text for the name of a file or an address.
  read <- function(text, matrices = FALSE) simplified(jsonlite::parse_json(text), matrices)

  simplified <- function(x, matrices) {
    if (!is.list(x) || !length(x)) return(x)
    if (!is.null(names(x))) return(lapply(x, simplified, matrices))
    single <- !vapply(x, is.list, NA)
    if (all(single)) return(vector_of(x))
    if (all(vapply(x, is_record, NA))) return(rows_of(x))
    parts <- lapply(x, simplified, matrices)
    if (matrices && !any(single)) array_of(parts) else parts
  }

  vector_of <- function(x) {
    x[lengths(x) == 0L] <- list(NA)
    unlist(x, use.names = FALSE)
  }

  is_record <- function(x) is.null(x) || (is.list(x) && !is.null(names(x)))

  rows_of <- function(records) {
    forms <- unique(lapply(records, names))
    fields <- as.character(unique(unlist(forms)))
    value_in <- if (length(forms) == 1L) .subset2 else value_of # records are alike as a rule, and many
    places <- if (length(forms) == 1L) match(fields, forms[[1L]]) else fields
    columns <- lapply(places, function(place) simplified(lapply(records, value_in, place), FALSE))
    labels <- columns[fields == "_row"] # as data frames with names of rows are written
    labelled <- length(labels) == 1L && is.character(labels[[1L]]) && !anyNA(labels[[1L]]) && !anyDuplicated(labels[[1L]])
    shown <- if (labelled) fields != "_row" else rep(TRUE, length(fields))
    structure(columns[shown], names = fields[shown], class = "data.frame",
              row.names = if (labelled) labels[[1L]] else .set_row_names(length(records)))
  }

  value_of <- function(record, field) {
    place <- match(field, names(record))
    if (!is.na(place)) record[[place]]
  }

  # The parts lie along the first dimension; those that differ in shape, or have none, stay a list.
  array_of <- function(parts) {
    shapes <- unique(lapply(parts, function(part) if (is.null(dim(part))) length(part) else dim(part)))
    if (length(shapes) > 1L || any(shapes[[1L]] == 0L) || !all(vapply(parts, is.atomic, NA))) return(parts)
    shape <- shapes[[1L]]
    aperm(array(unlist(parts), c(shape, length(parts))), c(length(shape) + 1L, seq_along(shape)))
  }
  read
}, envir = new.env(parent = .BaseNamespaceEnv))
