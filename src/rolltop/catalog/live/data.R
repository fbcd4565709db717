# The R side of the catalog, second part: values as data for JSON. Runs only inside the sandbox of rolltop.confine, after
# values.R. A call that succeeded is not lost by what it returned: where a value has no form, what is data in it
# stands for it, and else its description; in a list that is so for each element.

local({
  to_json <- get("rolltop_json", "rolltop")

  # `schema` is what the definition says of the value: R does not tell a vector with one element from a single
  # value, nor an empty list of elements from one of fields, and the documentation does.
  .rolltop$data <- function(x, schema = NULL) {
    described <- function(e) to_json(.rolltop$describe(x, 20L))
    text <- tryCatch(suppressMessages(suppressWarnings(to_json(as_data(x, schema, 0L)))), error = described)
    structure(text, class = "json")
  }

  as_data <- function(x, schema, depth) {
    described <- function(e) .rolltop$describe(x, 20L)
    tryCatch(form_of(x, schema, depth), error = function(e) {
      tryCatch(form_of(bare(x), schema, depth), error = described)
    })
  }

  form_of <- function(x, schema, depth) {
    if (is.null(x)) return(NULL)
    if (isS4(x) || depth > 20L) return(.rolltop$describe(x, 20L))
    if (is.data.frame(x)) return(frame_data(x, depth))
    if (inherits(x, "summaryDefault") && is.null(dim(x))) return(summary_data(x, schema, depth))
    if (inherits(x, "ftable")) x <- as.table(x)
    if (inherits(x, "table") && !is.null(dim(x))) return(table_data(x))
    if (inherits(x, "dist")) x <- as.matrix(x)
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    if (inherits(x, "numeric_version")) x <- as.character(x)
    if (is.list(x) && (!is.object(x) || inherits(x, "AsIs"))) return(list_data(x, schema, depth))
    if (!is.atomic(x) || inherits(x, "connection")) return(.rolltop$describe(x, 20L))
    vector_data(x, schema)
  }

  # ---- vectors -------------------------------------------------------------------------------

  vector_data <- function(x, schema) {
    if (is.raw(x)) return(as.vector(unclass(x)))
    values <- plain(x)
    if (!is.null(dim(values))) return(array_data(values, schema))
    if (!is.null(names(values))) return(as.list(values))
    if (identical(schema[["type"]], "array") || inherits(x, "AsIs")) I(values) else values
  }

  # A vector or array of any class as text, numbers, logicals or times, with its names and dimensions.
  plain <- function(x) like(without_class(x), x)

  without_class <- function(x) {
    if (!is.object(x)) return(as.vector(x))
    if (is.factor(x)) return(as.character(x))
    if (inherits(x, "Date")) return(days(x))
    if (inherits(x, "POSIXct")) return(.POSIXct(as.vector(unclass(x)), attr(x, "tzone")))
    if (inherits(x, "difftime")) return(as.vector(as.numeric(x, units = "secs")))
    if (inherits(x, "integer64")) return(whole_numbers(as.character(x)))
    if (is.numeric(unclass(x)) && is_shown_otherwise(x)) return(shown(x))
    as.vector(unclass(x))
  }

  # A number whose class has a text form of its own is not the number that R keeps of it, as in 2020.5 for "Jul 2020".
  is_shown_otherwise <- function(x) {
    classes <- setdiff(oldClass(x), c("AsIs", "noquote", "object_size", "ts", "mts", "matrix", "array", "integer", "numeric"))
    any(vapply(classes, function(class) !is.null(utils::getS3method("format", class, optional = TRUE)), NA))
  }

  shown <- function(x) {
    text <- trimws(format(x))
    stopifnot(is.character(text), length(text) == length(x))
    text[is.na(x)] <- NA_character_
    as.vector(text)
  }

  days <- function(x) {
    text <- format(x, "%Y-%m-%d")
    text[!is.finite(x)] <- NA_character_
    as.vector(text)
  }

  # Numbers as long as these have all digits of the text, else the text.
  whole_numbers <- function(text) {
    numbers <- as.numeric(text)
    if (all(is.na(text) | abs(numbers) < 2^53)) numbers else text
  }

  like <- function(values, x) {
    shape <- attributes(x)
    attributes(values) <- c(attributes(values), shape[names(shape) %in% c("names", "dim", "dimnames")])
    values
  }

  # Without class, and without attributes that only the class has a use for.
  bare <- function(x) {
    if (!is.atomic(x) && !is.list(x)) stop("no data")
    like(if (is.list(x)) as.vector(unclass(x), "list") else as.vector(unclass(x)), x)
  }

  # summary() calls a vector a table, and may keep how many values are missing beside it.
  summary_data <- function(x, schema, depth) {
    absent <- attr(x, "NAs")
    class(x) <- setdiff(oldClass(x), c("summaryDefault", "table"))
    data <- as_data(x, schema, depth)
    if (is.null(absent)) data else c(data, list("NA's" = absent))
  }

  # ---- lists ---------------------------------------------------------------------------------

  list_data <- function(x, schema, depth) {
    if (!length(x) && identical(schema[["type"]], "object")) return(structure(list(), names = character()))
    fields <- names(x)
    about <- function(i) if (is.null(fields)) schema[["items"]] else schema[["properties"]][[fields[[i]]]]
    data <- as.vector(unclass(x), "list")
    told <- !is.null(schema[["items"]]) || !is.null(schema[["properties"]])
    rest <- if (told) seq_along(data) else which(!are_simple(data))
    data[rest] <- lapply(rest, function(i) as_data(data[[i]], about(i), depth + 1L))
    if (!is.null(dim(x))) return(array_data(like(data, x), schema))
    stats::setNames(data, fields)
  }

  # Numbers and texts that are data as they are; long lists have many. Elements that are not there, as in the
  # parameters of a function, cannot even be asked.
  are_simple <- function(list) {
    is_simple <- function(x) is.atomic(x) && is.null(attributes(x)) && !is.raw(x)
    tryCatch(vapply(list, is_simple, NA), error = function(e) logical(length(list)))
  }

  # ---- arrays and tables ---------------------------------------------------------------------

  # Names along an array are part of the result, as those of a vector are, unless rows are documented as arrays.
  array_data <- function(x, schema) {
    labels <- dimnames(x)
    if (length(dim(x)) == 1L) return(if (is.null(labels)) x else stats::setNames(as.list(flat(x)), labels[[1L]]))
    if (is.null(labels) || identical(schema[["items"]][["type"]], "array")) return(x)
    if (length(dim(x)) == 2L) return(matrix_data(x))
    parts <- lapply(seq_len(nrow(x)), function(i) {
      array_data(array(x[slice.index(x, 1L) == i], dim(x)[-1L], labels[-1L]), NULL)
    })
    if (is.null(labels[[1L]])) parts else stats::setNames(parts, labels[[1L]])
  }

  matrix_data <- function(x) {
    if (!is.null(colnames(x))) return(frame_of(columns_of(x), colnames(x), rownames(x), nrow(x)))
    stats::setNames(lapply(seq_len(nrow(x)), function(i) I(x[i, ])), rownames(x))
  }

  columns_of <- function(x) lapply(seq_len(ncol(x)), function(i) flat(x[, i, drop = FALSE]))

  flat <- function(x) {
    dim(x) <- NULL
    x
  }

  # A row for each cell, with the levels it stands for. What summary() makes of a data frame is a table of text, padded
  # for printing.
  table_data <- function(x) {
    if (is.character(x)) return(matrix_data(unpadded(x)))
    if (!length(x)) return(list())
    labels <- dimnames(provideDimnames(unclass(x)))
    names <- names(labels)
    if (is.null(names)) names <- character(length(labels))
    names[!nzchar(names)] <- paste0("Var", seq_along(labels))[!nzchar(names)]
    levels <- lapply(seq_along(labels), function(i) labels[[i]][flat(slice.index(x, i))])
    frame_of(c(levels, list(without_class(unclass(x)))), c(names, "Freq"), NULL, length(x))
  }

  unpadded <- function(x) {
    named <- function(labels) if (any(nzchar(trimws(labels)))) trimws(labels)
    matrix(trimws(x), nrow(x), ncol(x), dimnames = lapply(dimnames(x), named))
  }

  # ---- data frames ---------------------------------------------------------------------------

  frame_of <- function(columns, names, rows, count) {
    if (is.null(names)) names <- character(length(columns))
    rows <- if (is.null(rows)) .set_row_names(count) else as.character(rows)
    structure(columns, names = names, row.names = rows, class = "data.frame")
  }

  frame_data <- function(x, depth) {
    rows <- attr(x, "row.names")
    count <- .row_names_info(x, 2L)
    columns <- lapply(unclass(x), function(column) {
      if (NROW(column) != count) stop("a column has another length")
      column_data(column, depth)
    })
    frame_of(unname(columns), names(x), if (is.character(rows)) rows, count)
  }

  column_data <- function(x, depth) {
    if (is.data.frame(x)) return(frame_data(`row.names<-`(x, NULL), depth + 1L))
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    if (inherits(x, "numeric_version")) x <- as.character(x)
    if (is.list(x)) return(lapply(seq_along(x), function(i) as_data(x[[i]], NULL, depth + 1L)))
    if (!is.atomic(x)) stop("a column that is no vector")
    if (is.raw(x)) return(as.character(x))
    values <- plain(x)
    if (length(dim(values)) < 2L) return(unname(flat(values)))
    if (length(dim(values)) > 2L || is.null(colnames(values))) return(unname(values))
    frame_of(columns_of(values), colnames(values), NULL, nrow(values))
  }
}, envir = new.env(parent = .BaseNamespaceEnv))
