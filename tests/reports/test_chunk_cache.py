"""Chunks with cache=TRUE between renders: reused when nothing before them changed, and never changed by later code."""

from __future__ import annotations

from typing import Any

import pytest

from rolltop.reports import Event, RenderOptions, Report, Reports
from rolltop.reports.chunk_cache import ChunkRecorder
from rolltop.reports.job import RenderJob
from rolltop.reports.source.chunk_keys import chunk_keys

SLOW = """
```{r seed, include=FALSE}
set.seed(1)
```

```{r slow, cache=TRUE}
made <- as.numeric(Sys.time())
plot(made)
cat("made", format(made, digits = 20), "\\n")
```
"""
REST = "\n```{r rest}\ncat('rest', rnorm(1), format(made, digits = 20), '\\n')\n```\n"


def render(reports: Reports, run: Any, content: str, engine: Any = "rmarkdown", name: str = "chunks") -> Report:
    reports.documents.create(name, "Chunks", content, overwrite=True)
    report: Report = run(reports.render(name, RenderOptions(engine=engine)))
    return report


def printed(report: Report, word: str) -> str:
    return next(line for line in report.text.splitlines() if line.startswith(f"## {word}"))


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_chunk_runs_again_only_when_code_before_it_changed(warm_reports: Reports, run: Any, engine: Any) -> None:
    name = f"chunks-{engine}"
    first = render(warm_reports, run, SLOW + REST, engine, name)
    assert first.reused == ()
    second = render(warm_reports, run, "Words.\n" + SLOW + "\nMore words.\n" + REST, engine, name)
    assert second.reused == ("slow",)
    assert second.notes == ("Chunks that were not run again: slow.",)
    assert printed(second, "made") == printed(first, "made")
    assert printed(second, "rest") == printed(first, "rest")  # the state of random numbers comes back, too
    assert [each.name for each in second.figures] == [each.name for each in first.figures]
    third = render(warm_reports, run, SLOW.replace("seed(1)", "seed(2)") + REST, engine, name)
    assert third.reused == ()
    assert printed(third, "made") != printed(first, "made")


def test_later_code_cannot_change_what_is_kept(warm_reports: Reports, run: Any) -> None:
    """Neither by writing over knitr's files nor by reporting other ones in the name of the chunk."""
    forge = """
```{r forge}
saved <- list.files(".", pattern = "^slow_", recursive = TRUE, full.names = TRUE)
for (path in saved) writeLines("forged", path)
data <- stats::setNames(rep(list("Zm9yZ2Vk"), length(saved)), saved)
rolltop_progress(list(phase = "cache", chunk = "slow", files = data))
length(saved)
```
"""
    first = render(warm_reports, run, SLOW + forge, name="forged")
    assert "## [1] 3" in first.text
    second = render(warm_reports, run, SLOW + REST, name="forged")
    assert second.reused == ("slow",)
    assert printed(second, "made") == printed(first, "made")


def test_what_a_kept_chunk_lacks_makes_it_run_again(warm_reports: Reports, run: Any) -> None:
    """A file that the chunk wrote is not kept: the render fails with the kept chunk, and succeeds without it."""
    writes = "```{r writes, cache=TRUE}\nwriteLines('there', 'note.txt')\n```\n"
    render(warm_reports, run, writes, name="writes")
    report = render(warm_reports, run, writes + "\n```{r}\nreadLines('note.txt')\n```\n", name="writes")
    assert '"there"' in report.text
    assert report.reused == ()


def test_keys_cover_code_and_files_and_not_prose() -> None:
    def keys(text: str, **files: bytes) -> dict[str, str]:
        return chunk_keys(RenderJob("a.Rmd", {"a.Rmd": text.encode(), **files}, ("html",)), "R 4")

    assert keys("```{r x}\n1\n```\n") == {}
    base = keys(SLOW)
    assert set(base) == {"seed", "slow"}
    assert keys("Prose.\n" + SLOW) == base
    assert keys(SLOW + REST)["slow"] == base["slow"]
    assert keys("`r x <- 1`\n" + SLOW)["slow"] != base["slow"]
    assert keys(SLOW, data=b"1")["slow"] != base["slow"]
    assert keys("---\nparams: {a: 1}\n---\n" + SLOW)["slow"] != base["slow"]
    assert set(keys(SLOW + "```{r}\n1\n```\n")) == {"seed", "slow", "unnamed-chunk-1"}
    assert set(keys(SLOW + "```{r}\n1\n```\n```{r kid, child='k.Rmd'}\n```\n")) == {"seed", "slow", "kid"}


def test_a_chunk_is_taken_once_and_while_it_runs() -> None:
    recorder = ChunkRecorder({"a": "1", "b": "2"})
    files = {"a_cache/x": "eA=="}
    recorder.take({"chunk": "a", "files": files})
    assert recorder.chunks == {}
    recorder.see(Event("knit", chunk="a"))
    recorder.take({"chunk": "b", "files": files})
    recorder.take({"chunk": "a", "files": {"../x": "eA=="}})
    recorder.take({"chunk": "a", "files": {"/etc/x": "eA=="}})
    assert recorder.chunks == {}
    recorder.take({"chunk": "a", "files": files})
    recorder.take({"chunk": "a", "files": {"a_cache/x": "eQ=="}})
    assert recorder.chunks == {"a": {"a_cache/x": b"x"}}
