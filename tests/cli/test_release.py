"""A dry run of the release builds everything, twice the same."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rolltop import __version__

ROOT = Path(__file__).parents[2]


def release(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/release", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "one"
    done = release("--dry-run", "--out", str(out))
    assert done.returncode == 0, done.stderr
    return out


def test_everything_is_there_and_has_its_checksum(built: Path) -> None:
    assert {path.name for path in built.iterdir()} == {
        f"rolltop-{__version__}-py3-none-any.whl",
        f"rolltop-{__version__}.tar.gz",
        f"rolltop-{__version__}.mcpb",
        f"rolltop-{__version__}.cdx.json",
        "LICENCES.md",
        "SHA256SUMS",
    }
    for line in (built / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((built / name).read_bytes()).hexdigest() == digest


def test_the_wheel_and_the_bundle_hold_every_source(built: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    sources = set(listed.stdout.split())
    assert sources <= set(zipfile.ZipFile(built / f"rolltop-{__version__}.mcpb").namelist())
    wheel = zipfile.ZipFile(built / f"rolltop-{__version__}-py3-none-any.whl").namelist()
    assert {name.removeprefix("src/") for name in sources} <= set(wheel)
    assert any(name.endswith("man1/rolltop.1") for name in wheel)


def test_the_bill_of_materials_names_what_is_locked(built: Path) -> None:
    bill = json.loads((built / f"rolltop-{__version__}.cdx.json").read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["version"]) == ("CycloneDX", __version__)
    named = {each["name"]: each for each in bill["components"]}
    assert {"mcp", "numpy", "tantivy", "wordllama"} <= named.keys()
    assert named["numpy"]["licenses"]
    assert all(each["properties"] for each in named.values())


def test_the_same_commit_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = release("--dry-run", "--out", str(tmp_path / "two"))
    assert again.returncode == 0, again.stderr
    # The source archive takes files along that are not committed: another test may be writing one.
    one, two = ((place / "SHA256SUMS").read_text().splitlines() for place in (built, tmp_path / "two"))
    assert [line for line in one if "tar.gz" not in line] == [line for line in two if "tar.gz" not in line]


def test_a_directory_with_files_is_left_alone(built: Path) -> None:
    done = release("--dry-run", "--out", str(built))
    assert done.returncode == 1
    assert "is not empty" in done.stderr
