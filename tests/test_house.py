"""The rooms of the house exist, and the command line is light."""

import subprocess
import sys


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
