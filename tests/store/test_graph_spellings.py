"""Links, imports and calls as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rolltop.store import Library
from rolltop.store.extract.import_statements import files_meant
from rolltop.store.extract.plain import read_plain
from rolltop.store.graph.references import CITES, references_of
from rolltop.store.graph.traits import traits_of


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store") as opened:
        yield opened


def relations(library: Library, path: str) -> dict[str, dict[str, str]]:
    """path → kind → reason."""
    library.graph.trace()
    found = library.graph.related(library.documents.get(path), 1)
    return {each.node.document.path: {edge.kind: edge.reason for edge in each.edges} for each in found.related}


# links -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("[a](<my file.md>)", "my file.md"),
        ("[a](my%20file.md)", "my file.md"),
        ("[[Release 1.2]]", "Release 1.2.md"),
        ("[[Plan]]", "Plan.md"),
        ("[[plan.txt]]", "plan.txt"),
        ("[p](plan_(1).md)", "plan_(1).md"),
        ('[p](plan.md "A title (really)")', "plan.md"),
        ("[p]: <my file.md>", "my file.md"),
        ("([p](plan.md))", "plan.md"),
    ],
)
def test_links_lead_to_the_file_that_they_name(library: Library, written: str, meant: str) -> None:
    library.documents.add_text("from.md", f"{written}\n")
    library.documents.add_text(meant, "something else")
    assert "link" in relations(library, "from.md")[meant]


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("[H](https://doi.org/10.1016/S0140-6736(20)30183-5).", "doi:10.1016/s0140-6736(20)30183-5"),
        ("(see https://doi.org/10.1016/S0140-6736(20)30183-5).", "doi:10.1016/s0140-6736(20)30183-5"),
        ("doi:10.1016/S0140-6736(20)30183-5, and", "doi:10.1016/s0140-6736(20)30183-5"),
        ("[M](https://en.wikipedia.org/wiki/Mercury_(planet))", "en.wikipedia.org/wiki/Mercury_(planet)"),
        ("https://en.wikipedia.org/wiki/Mercury_(planet).", "en.wikipedia.org/wiki/Mercury_(planet)"),
        ("(https://example.org/a/)", "example.org/a"),
    ],
)
def test_addresses_are_whole(written: str, address: str) -> None:
    found = references_of(read_plain(written, "a.md", ".md"))
    assert {reference.key for reference in found if reference.kind == CITES} == {address}


def test_every_link_of_a_long_page_counts(library: Library) -> None:
    library.documents.add_text("index.md", "".join(f"* [Page {n}](page{n:03}.md)\n" for n in range(600)))
    library.documents.add_text("page599.md", "short")
    assert "link" in relations(library, "page599.md")["index.md"]


# imports ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "statement", "wanted"),
    [
        ("typescript", 'import { a } from "./util.js"', "./util.ts"),
        ("typescript", 'import { a } from "./util.js"', "./util.js"),
        ("tsx", 'import Card from "./Card"', "./Card/index.tsx"),
        ("javascript", 'import data from "./data.json"', "./data.json"),
        ("javascript", 'import x from "./v1.2"', "./v1.2.js"),
        ("php", "require_once __DIR__ . '/lib.php'", "./lib.php"),
        ("php", "include dirname(__FILE__) . '/sub/lib.php'", "./sub/lib.php"),
        ("php", "require 'lib.php'", "lib.php"),
        ("bash", '. "$(dirname "$0")/lib.sh"', "./lib.sh"),
        ("bash", 'source "${BASH_SOURCE%/*}/lib.sh"', "./lib.sh"),
        ("bash", "source $HERE/lib.sh", "lib.sh"),
        ("bash", "source lib.sh", "lib.sh"),
        ("rust", "use crate::{db, models::user};", "models/user.rs"),
        ("rust", "use crate::{db, models::user};", "db.rs"),
        ("rust", "use crate::a::{self, b::{c, d}};", "a/b/d.rs"),
        ("rust", "mod helpers;", "helpers.rs"),
        ("java", "import static com.acme.Text.pad;", "com/acme/Text.java"),
        ("java", "import com.acme.Text;", "com/acme/Text.java"),
        ("r", 'source(file = "rutil.R")', "rutil.R"),
        ("python", "from core import (\n    one,  # the first (of two)\n    two,\n)", "core/two.py"),
    ],
)
def test_imports_mean_files(language: str, statement: str, wanted: str) -> None:
    assert wanted in list(files_meant(statement, language))


def test_where_no_parser_is_imports_are_found_anywhere_on_a_line() -> None:
    found = traits_of(read_plain('x <- 1; source("rutil.R")\n', "a.r", ".r"), ".r").references
    assert "rutil.R" in {reference.path for reference in found}
    found = traits_of(read_plain("use crate::{\n    db,\n    models,\n};\n", "a.rs", ".rs"), ".rs").references
    assert {"db.rs", "models.rs"} <= {reference.path for reference in found}


# calls -----------------------------------------------------------------------------------------------


def test_calls_are_of_functions_that_documents_define(library: Library) -> None:
    library.documents.add_text(
        "dict.py", "class Dict:\n    def append(self, x): pass\n    def compute_total(self): pass\n"
    )
    library.documents.add_text("list.py", "out = []\nout.append(1)\n")
    library.documents.add_text("other.js", "const o = []; o.compute_total();\n")
    library.documents.add_text("user.py", "d.compute_total()\n")
    found = relations(library, "dict.py")
    assert found["user.py"]["call"] == "calls compute_total"
    assert "call" not in found.get("list.py", {})
    assert "call" not in found.get("other.js", {})
