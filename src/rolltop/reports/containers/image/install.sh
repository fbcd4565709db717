#!/bin/sh
# Bring the base up to what rendering needs: pandoc, TeX, the R packages. Does nothing where all is there.
set -eu

need=""
command -v pandoc >/dev/null || need="$need pandoc"
command -v pdflatex >/dev/null || need="$need texlive-latex-base texlive-latex-recommended lmodern"
if [ -n "$need" ]; then
  apt-get update
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $need
  rm -rf /var/lib/apt/lists/*
fi

Rscript -e '
  wanted <- c("rmarkdown", "knitr", "tinytex", "ggplot2", "jsonlite", commandArgs(trailingOnly = TRUE))
  missing <- setdiff(wanted, rownames(installed.packages()))
  if (length(missing)) install.packages(missing)
  still <- setdiff(wanted, rownames(installed.packages()))
  if (length(still)) stop("could not install: ", paste(still, collapse = ", "))
' "$@"
