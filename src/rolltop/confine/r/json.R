# R values as JSON text. Numbers have the 17 digits that give the same number back (jsonlite has at most 15), times
# their fraction and zone, complex numbers work everywhere; the rest is written as jsonlite writes it with auto_unbox: a
# vector of length one is a plain value unless it is I(), NA and NULL are null, data frames are arrays of objects. Text of
# class "json" is written as it is.
write_json <- local({
  controls <- rawToChar(as.raw(1:31), multiple = TRUE)
  escapes <- sprintf("\\u%04x", 1:31)
  escapes[c(8L, 9L, 10L, 12L, 13L)] <- c("\\b", "\\t", "\\n", "\\f", "\\r")

  quoted <- function(x) {
    x <- enc2utf8(x)
    wrong <- !validUTF8(x)
    if (any(wrong)) x[wrong] <- iconv(x[wrong], "UTF-8", "UTF-8", sub = "\ufffd")
    special <- grepl("[\\\\\"\001-\037]", x, perl = TRUE)
    if (any(special)) {
      text <- gsub("\"", "\\\"", gsub("\\", "\\\\", x[special], fixed = TRUE), fixed = TRUE)
      for (i in which(vapply(controls, function(control) any(grepl(control, text, fixed = TRUE)), NA))) {
        text <- gsub(controls[[i]], escapes[[i]], text, fixed = TRUE)
      }
      x[special] <- text
    }
    paste0("\"", x, "\"", recycle0 = TRUE)
  }

  # Most numbers in tables have few digits, and 0.1 need not be 0.10000000000000001; 17 are enough for every number.
  numbers <- function(x) {
    text <- sprintf("%.12g", x)
    long <- is.finite(x)
    long[long] <- as.numeric(text[long]) != x[long]
    text[long] <- sprintf("%.17g", x[long])
    text[!is.finite(x)] <- "null"
    text
  }

  # 2026-01-02T03:04:05.25+01:00: the clock of the value's own zone, and how far that is from UTC.
  times <- function(x) {
    x <- as.POSIXct(x)
    seconds <- as.numeric(x)
    whole <- as.POSIXlt(.POSIXct(floor(seconds), attr(x, "tzone")))
    fraction <- sub("0+$", "", sprintf("%06.0f", pmin(floor((seconds - floor(seconds)) * 1e6 + 0.5), 999999)))
    zone <- sub("(..)$", ":\\1", format(whole, "%z"))
    zone[zone %in% c("+00:00", "-00:00")] <- "Z"
    text <- paste0(format(whole, "%Y-%m-%dT%H:%M:%S"), ifelse(nzchar(fraction), paste0(".", fraction), ""), zone)
    text[!is.finite(seconds)] <- NA
    text
  }

  complexes <- function(x) {
    ifelse(is.finite(Re(x)) & is.finite(Im(x)),
           paste0(format_short(Re(x)), ifelse(Im(x) < 0, "-", "+"), format_short(abs(Im(x))), "i"), NA)
  }
  format_short <- function(x) vapply(x, format, "", digits = 15L)

  # One piece of JSON for each element of a vector.
  pieces <- function(x) {
    if (is.factor(x)) x <- as.character(x)
    else if (inherits(x, "Date")) x <- ifelse(is.finite(x), format(x, "%Y-%m-%d"), NA)
    else if (inherits(x, "POSIXt")) x <- times(x)
    if (is.list(x)) return(vapply(unclass(x), write, ""))
    if (is.complex(x)) x <- complexes(x)
    x <- as.vector(unclass(x))
    text <- switch(typeof(x), logical = ifelse(x, "true", "false"), integer = as.character(x), double = numbers(x),
                   character = quoted(x), stop("a value of type ", typeof(x), " is no data", call. = FALSE))
    text[is.na(x)] <- "null"
    text
  }

  array_of <- function(pieces) paste0("[", paste(pieces, collapse = ","), "]")
  object_of <- function(names, pieces) paste0("{", paste0(quoted(names), ":", pieces, collapse = ","), "}")

  # Names as keys of an object: none empty, none twice.
  keys <- function(names) {
    empty <- is.na(names) | !nzchar(names)
    names[empty] <- as.character(which(empty))
    make.unique(names)
  }

  rows <- function(x) {
    if (is.data.frame(x)) {
      columns <- lapply(x, rows)
      named <- is.character(attr(x, "row.names"))
      if (named) columns <- c(columns, list(quoted(row.names(x))))
      if (!length(columns)) return(rep("{}", nrow(x)))
      labels <- quoted(c(keys(names(x)), if (named) "_row"))
      return(paste0("{", do.call(paste, c(unname(Map(function(label, cells) paste0(label, ":", cells, recycle0 = TRUE), labels, columns)),
                                          sep = ",", recycle0 = TRUE)), "}", recycle0 = TRUE))
    }
    if (length(dim(x)) > 1L) slices(x) else pieces(x)
  }

  # The slices of a matrix or array along its first dimension.
  slices <- function(x) {
    size <- dim(x)
    if (length(size) == 1L) return(pieces(x))
    rest <- array(seq_len(length(x)), size)
    cells <- pieces(x)
    if (length(size) == 2L) return(vapply(seq_len(size[[1L]]), function(i) array_of(cells[rest[i, ]]), ""))
    vapply(seq_len(size[[1L]]), function(i) {
      part <- array(rest[slice.index(rest, 1L) == i], size[-1L])
      array_of(nested(cells, part))
    }, "")
  }
  nested <- function(cells, part) {
    if (length(dim(part)) == 1L) return(cells[part])
    vapply(seq_len(dim(part)[[1L]]), function(i) {
      array_of(nested(cells, array(part[slice.index(part, 1L) == i], dim(part)[-1L])))
    }, "")
  }

  write_list <- function(x) {
    names <- names(x)
    if (is.null(names)) return(array_of(vapply(x, write, "")))
    if (!length(x)) return("{}")
    object_of(keys(names), vapply(x, write, ""))
  }

  write <- function(x) {
    if (is.null(x)) return("null")
    if (inherits(x, "json")) return(paste(x, collapse = "\n"))
    if (is.data.frame(x)) return(if (inherits(x, "scalar")) rows(x) else array_of(rows(x)))
    if (is.raw(x)) return(quoted(jsonlite::base64_enc(unclass(x))))
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    if (inherits(x, "numeric_version")) x <- as.character(x)
    if (is.language(x) || is.function(x)) x <- paste(deparse(x), collapse = "\n")
    if (length(dim(x)) > 1L) return(array_of(slices(x)))
    if (is.list(x) || is.pairlist(x)) return(write_list(as.list(unclass(x))))
    if (!is.atomic(x)) stop("a value of class ", class(x)[[1L]], " is no data", call. = FALSE)
    text <- pieces(x)
    if (length(text) == 1L && !inherits(x, "AsIs") && is.null(dim(x))) text else array_of(text)
  }
  write
}, envir = new.env(parent = .BaseNamespaceEnv))
