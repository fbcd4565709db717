"""Chunks are numbered and labelled as knitr does it: checked against knitr itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from rolltop.reports.source.chunks import find_chunk, packages_mentioned, scan_chunks, wants_own_knit

DOCUMENT = """\
Text with `r 1 + 1` inline.

```{r}
1
```

```{r named, echo=FALSE}
2
```

```{r, fig.width=3}
3
```

```{r, fig.cap='$x_{1}$ {and more}'}
braces
```

````{r label = "quoted"}
x <- "```"
````

```{r named two, echo=TRUE}
4
```

```{python py, eval=FALSE}
5
```

> ```{r in-quote}
> 6
> ```

```r
not a chunk
```

```{r last}
#| echo: false
7
```
"""

ASK_KNITR = """
knitr::pat_md()
invisible(knitr:::split_file(readLines(commandArgs(TRUE)[[1]])))
cat(jsonlite::toJSON(names(knitr:::knit_code$get())))
"""


def test_labels_agree_with_knitr(tmp_path: Path) -> None:
    document = tmp_path / "x.Rmd"
    document.write_text(DOCUMENT)
    (tmp_path / "ask.R").write_text(ASK_KNITR)
    command = ["Rscript", "--vanilla", str(tmp_path / "ask.R"), str(document)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [chunk.label for chunk in scan_chunks(DOCUMENT)] == json.loads(said)


def test_lines_are_those_of_the_fences() -> None:
    lines = DOCUMENT.splitlines()
    for chunk in scan_chunks(DOCUMENT):
        assert "{" in lines[chunk.start - 1]
        assert "```" in lines[chunk.end - 1]
    found = find_chunk(DOCUMENT, "unnamed-chunk-2")
    assert found is not None
    assert lines[found.start - 1] == "```{r, fig.width=3}"


def test_an_unclosed_chunk_ends_with_the_document() -> None:
    assert [(c.start, c.end) for c in scan_chunks("a\n```{r}\n1\n")] == [(2, 3)]


def test_packages_and_format_questions_are_seen() -> None:
    assert packages_mentioned("library(ggplot2); dplyr::filter(x)") == {"ggplot2", "dplyr"}
    assert wants_own_knit("if (knitr::is_html_output()) 1")
    assert not wants_own_knit(DOCUMENT)
