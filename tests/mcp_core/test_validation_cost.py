"""What is wrong with arguments is said of a bounded number of them: the caller decides how many there are."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from mcp_core.validation import InvalidArguments, check_arguments


class Note(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str
    made: list[int] = []


@pytest.mark.parametrize(
    ("given", "count"),
    [({f"unknown{n}": n for n in range(5000)}, 5001), ({"text": "", "made": ["x"] * 5000}, 5000)],
    ids=["unknown", "wrong"],
)
def test_only_some_of_many_problems_are_put_into_words(given: dict[str, object], count: int) -> None:
    with pytest.raises(InvalidArguments, match=f"and {count - 20} more") as caught:
        check_arguments(Note, given)
    assert len(caught.value.problems) == 100
