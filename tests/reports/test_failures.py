"""A failed render says where: the line of inline code, the chunk of a child, the file that pandoc misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rolltop.errors import RolltopError, SizeLimit
from rolltop.reports import RenderFailure, RenderOptions, Reports


def failure(reports: Reports, run: Any, text: str, engine: Any = "fast", **files: str) -> RolltopError:
    reports.documents.create("fails", "Fails", text, overwrite=True)
    for name, content in files.items():
        reports.documents.attach("fails", f"{name}.Rmd", content.encode())
    with pytest.raises(RolltopError) as caught:
        run(reports.render("fails", RenderOptions(engine=engine)))
    return caught.value


def line_of(reports: Reports, words: str) -> int:
    lines = reports.documents.text("fails").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_inline_code_is_found_at_its_line(warm_reports: Reports, run: Any, engine: Any) -> None:
    text = "# Head\n\nFine: `r 1`\n\nwords `r stop('inline boom')` more\n\n```{r}\n1\n```\n"
    error = failure(warm_reports, run, text, engine)
    assert error.position is not None
    assert (error.position.line, error.position.column) == (line_of(warm_reports, "inline boom"), 7)


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_child_is_named_with_its_own_lines(warm_reports: Reports, run: Any, engine: Any) -> None:
    text = "```{r}\n1\n```\n\n```{r, child='child.Rmd'}\n```\n\n```{r}\n2\n```\n"
    error = failure(warm_reports, run, text, engine, child="words\n\n```{r}\nstop('in child')\n```\n")
    assert str(error.position) == "fails/child.Rmd:3:1"
    assert "(from line 3 of fails/child.Rmd)" in (error.hint or "")


def test_braces_among_the_options_do_not_hide_a_chunk(warm_reports: Reports, run: Any) -> None:
    text = "```{r, fig.cap='$x_{1}$'}\nplot(1)\n```\n\n```{r}\n1\n```\n\n```{r}\n# third\nstop('boom')\n```\n"
    error = failure(warm_reports, run, text)
    assert error.position is not None
    assert error.position.line == line_of(warm_reports, "# third") - 1


def test_a_label_used_twice_is_found_where_it_is_used_again(warm_reports: Reports, run: Any) -> None:
    error = failure(warm_reports, run, "```{r foo}\n1\n```\n\n```{r foo}\n# again\n2\n```\n")
    assert error.position is not None
    assert error.position.line == line_of(warm_reports, "# again") - 1


@pytest.mark.parametrize(
    ("target", "said", "hint"),
    [
        ("nofile.png", "File nofile.png not found", "side file nofile.png"),
        ("https://example.com/a.png", "Could not fetch https://example.com/a.png", "no network"),
    ],
)
@pytest.mark.parametrize("warm", [True, False])
def test_pandoc_is_quoted(
    warm_reports: Reports, reports: Reports, run: Any, target: str, said: str, hint: str, warm: bool
) -> None:
    error = failure(warm_reports if warm else reports, run, f"![]({target})\n", "rmarkdown")
    assert isinstance(error, RenderFailure)
    assert said in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    "code",
    ["system('dd if=/dev/zero of=/tmp/fill bs=1M')", "for (i in 1:20) writeLines(strrep('x', 1e7), paste0('y', i))"],
)
def test_full_scratch_space_is_a_limit(warm_reports: Reports, run: Any, code: str) -> None:
    error = failure(warm_reports, run, f"```{{r}}\n{code}\n```\n", "rmarkdown")
    assert isinstance(error, SizeLimit)
    assert "tmp_size" in (error.hint or "")


def test_side_files_that_do_not_fit_into_the_scratch_space_are_a_limit(
    make_reports: Callable[..., Reports], run: Any
) -> None:
    reports = make_reports(renderer="local", tmp_size=4)
    reports.documents.create("large", "Large", "Words\n")
    reports.documents.attach("large", "data.bin", bytes(8 << 20))
    with pytest.raises(SizeLimit, match="filled its scratch space"):
        run(reports.render("large", RenderOptions(engine="fast")))


def test_what_ended_r_is_found_in_a_child_and_in_inline_code(warm_reports: Reports, run: Any) -> None:
    text = "```{r}\n1\n```\n\n```{r, child='child.Rmd'}\n```\n"
    error = failure(warm_reports, run, text, child="words\n\n```{r}\nquit()\n```\n")
    assert str(error.position) == "fails/child.Rmd:3:1"
    error = failure(warm_reports, run, "```{r}\n1\n```\n\nwords `r quit()`\n")
    assert error.position is not None
    assert error.position.line == line_of(warm_reports, "quit()")
    assert "log" not in (error.hint or "")  # there is none to look at


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_a_missing_data_file_is_named(warm_reports: Reports, run: Any, engine: Any) -> None:
    error = failure(warm_reports, run, "```{r load}\nd <- read.csv('sale.csv')\n```\n", engine)
    assert "cannot open file 'sale.csv': No such file or directory" in error.message
    assert "rmd/fails/sale.csv" in (error.hint or "")
    assert error.details["warnings"] == ["cannot open file 'sale.csv': No such file or directory"]


def test_a_warning_before_an_error_is_told_with_it(warm_reports: Reports, run: Any) -> None:
    text = "```{r}\nwarning('of another piece')\nf <- function() { warning('hm'); stop('no') }\nf()\n```\n"
    error = failure(warm_reports, run, text)
    assert error.message.endswith("failed in chunk unnamed-chunk-1: no (R warned: hm)")


def test_a_child_in_a_directory_is_told_where_the_side_file_lies(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("parent", "P", '```{r, child="sub/kid.Rmd"}\n```\n')
    warm_reports.documents.attach("parent", "data.csv", b"a\n1\n")
    warm_reports.documents.attach("parent", "sub/kid.Rmd", b'```{r}\nread.csv("data.csv")\n```\n')
    with pytest.raises(RenderFailure) as caught:
        run(warm_reports.render("parent"))
    assert "rmd/parent/data.csv is there" in (caught.value.hint or "")
    assert "../data.csv" in (caught.value.hint or "")
    warm_reports.documents.attach("parent", "sub/kid.Rmd", b'```{r}\nread.csv("../data.csv")\n```\n')
    assert run(warm_reports.render("parent")).outputs
