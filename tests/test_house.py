"""The rooms of the house exist, and the command line is light."""

import re
import subprocess
import sys
from pathlib import Path


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
    page = (Path(__file__).parents[1] / "README.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout.split() == ["['notes/orchard.md']", "[", "10,", "20", "]"]
