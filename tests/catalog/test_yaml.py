"""What is written is read back, the same value is the same text, and hostile files are refused."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rolltop.catalog.yaml_text import dump, load
from rolltop.errors import InvalidData, SizeLimit

texts = st.text(max_size=30) | st.text(alphabet="ab \n\t#>:-'\"[]{},&*!|%@`\\\r\x85\u2028\ufeff01yesno~.", max_size=25)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(texts, values, max_size=4))
def test_everything_that_is_written_is_read_back(document: dict) -> None:
    text = dump(document)
    assert (load(text) or {}) == document
    assert (yaml.safe_load(text) or {}) == document
    assert dump(document) == text


def test_output_lines_with_trailing_blanks_stay_literal() -> None:
    example = "f()\n#\n#> $a\n#> \n#> $b\n"
    assert dump({"implementation_example": example}) == "implementation_example: |\n" + "".join(
        f"  {line}\n" for line in example.splitlines()
    )


def test_files_of_other_writers_are_read() -> None:
    assert load("dangerous: yes\ndescription: ~\nn: .inf\n") == {
        "dangerous": True,
        "description": None,
        "n": float("inf"),
    }


@pytest.mark.parametrize(
    "text",
    ["a: &x [1]\nb: *x\n", "a: " + "[" * 100 + "]" * 100, "a: [1", "a: !!python/object:os.system x", "\x00", "a: b: c"],
)
def test_hostile_and_broken_files_are_refused(text: str) -> None:
    with pytest.raises(InvalidData):
        load(text, "tool.yaml")


def test_huge_files_are_refused() -> None:
    with pytest.raises(SizeLimit):
        load("a: " + "x" * (5 << 20))
