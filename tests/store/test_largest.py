"""How large a file may be is a setting, and who meets it is told which."""

from __future__ import annotations

from pathlib import Path

import pytest

from rolltop.errors import InvalidInput, SizeLimit
from rolltop.files import Files
from rolltop.store import Library, Options
from rolltop.tools.store.operations import store_file


def test_a_file_above_the_limit_is_refused_with_the_name_of_the_setting(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 200)
    with Library(tmp_path / "store", Options(largest=100)) as library:
        with pytest.raises(SizeLimit) as refused:
            store_file(library, Files([tmp_path]), str(large), [], {})
        assert "largest_mb" in (refused.value.hint or "")
    with Library(tmp_path / "store", Options(largest=200)) as library:
        assert store_file(library, Files([tmp_path]), str(large), [], {}).document.size == 200


def test_the_limit_is_read_from_the_settings() -> None:
    assert Options.from_section({}).largest == 1 << 30
    assert Options.from_section({"largest_mb": "2048"}).largest == 2 << 30
    with pytest.raises(InvalidInput, match=r"store\.largest_mb"):
        Options.from_section({"largest_mb": 0})
