"""Chunks in Python, bash and SQL: one interpreter per document, in the same sandbox and under the same limits as R."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.reports import PackageMissing, RenderOptions, Report, Reports
from rolltop.reports.results.latex_packages import debian_package, missing_language

LANGUAGES = """
```{python}
x = 5
print("hi")
x * 2
```

```{python, echo=FALSE}
f"x is {x}"
```

```{python, results='hide'}
print("nobody sees this")
```

```{python, error=TRUE, echo=FALSE}
1 / 0
```

```{python draw, echo=FALSE}
import matplotlib.pyplot as plt
plt.figure(1)
```

```{bash}
echo from bash $((1 + 2))
```
"""
PYPLOT = b"""
from base64 import b64decode
class Figure:
    def savefig(self, path, dpi):
        with open(path, "wb") as file:
            file.write(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
open_figures = {}
def figure(number): return open_figures.setdefault(number, Figure())
def get_fignums(): return sorted(open_figures)
def close(which): open_figures.clear()
"""


def render(reports: Reports, run: Any, content: str, engine: Any = "rmarkdown", **options: Any) -> Report:
    reports.documents.create("languages", "Languages", content, overwrite=True)
    report: Report = run(reports.render("languages", RenderOptions(engine=engine, **options)))
    return report


@pytest.mark.parametrize("engine", ["rmarkdown", "fast"])
def test_python_and_bash_chunks(warm_reports: Reports, run: Any, engine: Any) -> None:
    """Values are printed as at a prompt, chunks share their variables, plots of matplotlib are figures."""
    warm_reports.documents.create("languages", "L", LANGUAGES, overwrite=True)
    warm_reports.documents.attach("languages", "matplotlib/__init__.py", b"")
    warm_reports.documents.attach("languages", "matplotlib/pyplot.py", PYPLOT)
    report = render(warm_reports, run, LANGUAGES, engine)
    assert report.engine == engine
    for said in ("## hi", "## 10", "## 'x is 5'", "ZeroDivisionError: division by zero", "## from bash 3", "print("):
        assert said in report.text
    assert "## nobody" not in report.text
    assert [figure.name for figure in report.figures] == ["draw-1.png"]
    assert "draw-1.png" in report.text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("y = 1\nprint(nope)", "NameError: name 'nope' is not defined (line 2 of the chunk)"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("import os; os._exit(3)", "the Python process ended"),
    ],
)
def test_errors_of_python_name_their_chunk(warm_reports: Reports, run: Any, code: str, said: str) -> None:
    with pytest.raises(RolltopError, match="in chunk culprit") as caught:
        render(warm_reports, run, f"```{{python culprit}}\n{code}\n```\n")
    assert said in caught.value.message


def test_python_has_the_limits_of_the_render(warm_reports: Reports, run: Any) -> None:
    with pytest.raises(RolltopError, match="took longer than 3 s and was ended in chunk spin"):
        render(warm_reports, run, "```{python spin}\nwhile True: pass\n```\n", timeout=3.0)
    reached = render(
        warm_reports, run, "```{python}\nimport socket\n[name for _, name in socket.if_nameindex()]\n```\n"
    )
    assert "'eth0'" not in reached.text


@pytest.fixture
def sql_reports(make_reports: Callable[..., Reports]) -> Iterator[Reports]:
    """Reports with DuckDB in a place that the sandbox's user can reach, whoever runs the tests."""
    installed = distribution("duckdb")
    packages = Path(tempfile.mkdtemp(prefix="rolltop-python-"))
    packages.chmod(0o755)
    for name in sorted({Path(str(each)).parts[0] for each in installed.files or ()} - {".."}):
        source = Path(str(installed.locate_file(name)))
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, packages / name)
    yield make_reports(renderer="local", memory=1024, python_libraries=(str(packages),))
    shutil.rmtree(packages)


SQL = """
```{r}
sold <- data.frame(place = c("a", "b", "a"), euro = c(1, 2, 3.5))
```

```{sql}
SELECT place, sum(euro) AS total FROM sold GROUP BY place ORDER BY place
```

```{sql, output.var="joined"}
SELECT s.place, n.name FROM sold s JOIN 'names.csv' n ON n.place = s.place WHERE euro > 2
```

It is `r joined$name`.
"""


def test_sql_chunks_run_over_duckdb(sql_reports: Reports, run: Any) -> None:
    """Data frames and side files are tables; `output.var` brings the rows back to R."""
    theirs = subprocess.run(
        ["python3", "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    sql_reports.documents.create("languages", "L", "x")
    sql_reports.documents.attach("languages", "names.csv", b"place,name\na,Aachen\nb,Bonn\n")
    if theirs.stdout.strip() != str(sys.version_info[:2]):  # another Python cannot load this one's binaries
        with pytest.raises(PackageMissing, match="SQL chunks need DuckDB"):
            render(sql_reports, run, SQL)
        return
    report = render(sql_reports, run, SQL)
    assert "|a     |   4.5|" in report.text
    assert "It is Aachen." in report.text


@pytest.mark.parametrize(
    ("file", "package"),
    [
        ("ulem.sty", "texlive-plain-generic"),
        ("beamer.cls", "texlive-latex-recommended"),
        ("tikz.sty", "texlive-pictures"),
        ("multirow.sty", "texlive-latex-extra"),
    ],
)
def test_files_of_latex_are_named_with_their_debian_package(file: str, package: str) -> None:
    assert debian_package(file) == package


def test_a_language_that_latex_lacks_is_named() -> None:
    assert missing_language("! Package babel Error: Unknown option 'ngerman'. Either") == "ngerman"
    assert debian_package("ngerman") == "texlive-lang-german"
