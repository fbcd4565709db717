"""roxygen2 itself splits blocks and names objects; ours has to agree."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolltop.catalog.rlang import expressions, parse_block

ORACLE = (Path(__file__).parent / "r" / "parse_with_roxygen2.R").read_text()


def oracle(*files: Path) -> list[list[dict]]:
    command = ["Rscript", "--vanilla", "-e", ORACLE, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    found: list[list[dict]] = json.loads(done.stdout)
    return found


def ours(text: str) -> list[dict]:
    blocks = []
    for expression in expressions(text):
        if expression.doc:
            block = parse_block(expression.doc)
            params = [tag for tag in block.all("param") if tag.after_first_word]
            formals = expression.formals
            blocks.append(
                {
                    "name": expression.name,
                    "formals": None if formals is None else [formal.name for formal in formals],
                    "title": " ".join(block.text("title").split()) or None,
                    "params": [tag.first_word for tag in params],
                    "texts": [" ".join(tag.after_first_word.split()) for tag in params],
                    "keywords": list(block.keywords),
                }
            )
    return blocks


def assert_same(text: str, theirs: list[dict]) -> None:
    found = ours(text)
    assert [block["name"] for block in found] == [block["name"] for block in theirs]
    for mine, other in zip(found, theirs, strict=True):
        other["title"] = " ".join(other["title"].split()) if other["title"] else None
        assert mine == other


words = st.text(alphabet="abc XYZ.,:()-", min_size=1, max_size=20).map(str.strip).filter(bool)
identifiers = st.from_regex(r"[a-z][a-z0-9_.]{0,8}", fullmatch=True).filter(
    lambda name: name not in {"if", "in", "for", "while", "repeat", "next", "break", "function", "else"}
)
paragraphs = st.lists(words, min_size=1, max_size=2)
tags = st.one_of(
    st.tuples(identifiers, words, st.lists(words, max_size=2)).map(
        lambda t: [f"@param {t[0]} {t[1]}", *(f"  {line}" for line in t[2])]
    ),
    st.lists(st.sampled_from(["internal", "mcp-tool", "mcp-category-a", "mcp-dangerous"]), min_size=1, max_size=3).map(
        lambda found: ["@keywords " + " ".join(found)]
    ),
    words.map(lambda text: [f"@return {text}"]),
    words.map(lambda text: ["@details", text]),
)
defaults = st.sampled_from(
    ["", " = 1", ' = ") {"', " = c('a', 'b')", " = NULL", ' = r"(x)"', " = list(a = 1, (2))", " = -1L # note )\n"]
)


@st.composite
def functions(draw: st.DrawFn) -> str:
    lines = ["Title " + draw(words)]
    for paragraph in draw(st.lists(paragraphs, max_size=2)):
        lines += ["", *paragraph]
    for tag in draw(st.lists(tags, max_size=4)):
        lines += tag
    names = draw(st.lists(identifiers, max_size=4, unique=True))
    signature = ", ".join(name + draw(defaults) for name in names)
    operator = draw(st.sampled_from(["<-", "="]))
    comment = draw(st.sampled_from(["", "# plain\n", "\n"]))
    block = "\n".join(f"#' {line}" for line in lines)
    body = draw(st.sampled_from(["{ 1 }", "NULL"]))
    return f"{block}\n{comment}{draw(identifiers)}1 {operator} function({signature}\n) {body}\n"


def test_blocks_of_the_examples_and_hard_cases(tmp_path: Path) -> None:
    hard = tmp_path / "hard.R"
    hard.write_text(
        "#' Title\n#'   @param x indented is text\n#'@param y text\n#'\n#' @@ at, a@b.c\n#'\t@keywords tab\n"
        "#' @md\nf <- function(x, y) 1\n\n"
        "##' Two hashes\n#' @keywords a, b\nNULL\n#' One\n\n#' Two\n# plain\n#' @keywords k\ng = \\(x) x\n"
        "h <- function(x)\n  #' inner\n  x\n#' @title Tagged\n#'\n#' Para\n'quoted' <- function() 1\n"
    )
    files = [hard, *sorted((Path(__file__).parents[2] / "examples" / "orchard" / "R").glob("*.R"))]
    for file, theirs in zip(files, oracle(*files), strict=True):
        text = file.read_text()
        mine = {block["name"]: block for block in ours(text)}
        for block in theirs:
            if block["name"]:
                assert mine[block["name"]]["params"] == block["params"]
                assert mine[block["name"]]["keywords"] == block["keywords"]


def generated(count: int, tmp_path: Path) -> None:
    sources: list[str] = []

    @settings(
        max_examples=count, database=None, derandomize=True, suppress_health_check=list(HealthCheck), deadline=None
    )
    @given(st.lists(functions(), min_size=1, max_size=3).map("\n".join))
    def collect(text: str) -> None:
        sources.append(text)

    collect()
    files = [tmp_path / f"{number}.R" for number in range(len(sources))]
    for file, text in zip(files, sources, strict=True):
        file.write_text(text)
    for text, theirs in zip(sources, oracle(*files), strict=True):
        assert_same(text, theirs)


def test_generated_blocks_are_read_as_roxygen2_reads_them(tmp_path: Path) -> None:
    generated(100, tmp_path)


@pytest.mark.soak
def test_many_generated_blocks_are_read_as_roxygen2_reads_them(tmp_path: Path) -> None:
    generated(2000, tmp_path)
