# Values in the text as Markdown that pandoc makes every format of: for a target that is none of LaTeX and HTML
# knitr writes powers of ten as bare LaTeX, which ends a PDF and is lost elsewhere.

plain_inline <- function(x) {
  if (is.numeric(x)) x <- if (inherits(x, "roman")) as.character(x) else vapply(x, plain_number, "", in_formula())
  paste(as.character(x), collapse = ", ")
}

# The numbers that knitr writes as powers of ten, and to as many digits.
plain_number <- function(x, formula) {
  if (!is.double(x) || is.object(x) || is.na(x) || x == 0) return(as.character(x))
  power <- floor(log10(abs(x)))
  if (is.infinite(x)) return(paste0(if (x < 0) "-", if (formula) "\\infty{}" else "$\\infty$"))
  if (abs(power) < getOption("scipen") + 4L) return(rounded(x))
  factor <- rounded(x / 10^power)
  factor <- if (factor %in% c("1", "-1")) sub("1", "", factor) else paste0(factor, if (formula) "\\times " else " \u00d7 ")
  paste0(factor, if (formula) sprintf("10^{%d}", as.integer(power)) else sprintf("10^%d^", as.integer(power)))
}

rounded <- function(x) if (getOption("knitr.digits.signif", FALSE)) format(x) else as.character(round(x, getOption("digits")))

# Whether the piece of R that knitr evaluates at the moment stands in a formula.
in_formula <- function() {
  for (frame in rev(sys.frames())) {
    if (!inherits(frame$block, "inline") || !is.numeric(frame$i)) next
    return(isTRUE(tryCatch(is_within_formula(frame$block, frame$i), error = function(e) FALSE)))
  }
  FALSE
}

is_within_formula <- function(block, i) {
  bare <- function(text) gsub("`[^`]*`|\\\\[$]", "", text)
  before <- bare(substr(block$input, 1, block$location[i, 1] - 1))
  after <- bare(substr(block$input, block$location[i, 2] + 1, nchar(block$input)))
  before <- sub("^.*\n[ \t]*\n", "", before) # a formula ends where its paragraph does
  after <- sub("\n[ \t]*\n.*$", "", after)
  count <- function(mark) lengths(regmatches(before, gregexpr(mark, before)))
  opened <- count("[$]+") %% 2 == 1 && grepl("[$]", after)
  opened || count("\\\\begin[{]") > count("\\\\end[{]") || count("\\\\[(\\[]") > count("\\\\[])]")
}
