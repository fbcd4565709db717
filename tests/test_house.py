"""The command line is light, the readme runs, and the locked packages are the ones that are asked for."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def imported_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in out.stdout.split()}


def test_version_and_help_do_not_load_mcp() -> None:
    for option in ("--version", "--help"):
        loaded = imported_by(
            f"from rolltop.cli.main import cli\ncli.main([{option!r}], prog_name='rolltop', standalone_mode=False)"
        )
        assert not loaded & {"mcp", "mcp_types", "pydantic", "starlette", "rich"}


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout.split() == ["['notes/orchard.md']", "[", "10,", "20", "]"]


@pytest.mark.parametrize(
    ("lock", "extras"), [("requirements.lock", ("all", "test")), ("requirements-base.lock", ())], ids=["test", "base"]
)
def test_every_dependency_is_locked_with_hashes_in_a_version_that_fits(lock: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / lock).read_text()
    entries = re.findall(r"^([\w.-]+)==(\S+)(.*(?:\n    --hash=sha256:\w{64}.*)+)", text, re.MULTILINE)
    assert len(entries) == len(re.findall(r"^\w", text, re.MULTILINE)), "a package without hashes; run `make lock`"
    pins = {canonicalize_name(name): version for name, version, _ in entries}

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for extra in extras:
        asked += project["optional-dependencies"][extra]
    while asked:
        wanted = Requirement(asked.pop())
        if wanted.name == project["name"]:
            asked += [item for extra in wanted.extras for item in project["optional-dependencies"][extra]]
            continue
        pin = pins.get(canonicalize_name(wanted.name))
        assert pin is not None, f"{wanted.name} is not in {lock}; run `make lock`"
        assert wanted.specifier.contains(pin, prereleases=True), f"{lock} has {wanted.name} {pin}, not {wanted}"


def test_properties_are_tried_with_the_same_cases_in_every_run(request: pytest.FixtureRequest) -> None:
    from hypothesis import settings

    chosen = request.config.getoption("--hypothesis-profile")
    assert settings.default.derandomize is (chosen != "search")
    assert settings.default.deadline is None


def test_every_test_that_the_threat_model_names_is_there() -> None:
    text = (ROOT / "docs/design/threats.md").read_text()
    named = set(re.findall(r"`((?:tests|bench)/[\w/.]+)`", text))
    assert len(named) > 20
    assert [place for place in sorted(named) if not (ROOT / place).exists()] == []
