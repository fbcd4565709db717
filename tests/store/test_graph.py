"""How documents belong together: each kind of relation, both ways, with its reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import made_files as made
import pytest

from rolltop.errors import InvalidInput
from rolltop.store import Library, Options
from rolltop.store.extract.plain import read_plain
from rolltop.store.extract.worker_pool import Workers
from rolltop.store.graph import Related
from rolltop.store.graph.traits import traits_of

PROSE = " ".join(f"the {n}th fox of {n * 7} jumps over" for n in range(30)) + " and farm {0} looks on, "


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store")
    yield opened
    opened.close()


def around(library: Library, path: str, depth: int = 1) -> dict[str, Related]:
    library.graph.trace()  # a question waits two seconds only, which a busy machine may need to start the parsers
    found = library.graph.related(library.documents.get(path), depth)
    assert found.behind == 0
    return {related.node.document.path: related for related in found.related}


def relations(library: Library, path: str) -> dict[str, dict[str, str]]:
    """path → kind → reason."""
    return {other: {edge.kind: edge.reason for edge in r.edges} for other, r in around(library, path).items()}


def test_versions_are_a_chain(library: Library) -> None:
    for number in range(4):
        library.documents.add_text("plan.md", f"version {number}")
    found = library.graph.related(library.documents.get("plan.md"), 5).related
    assert [(each.distance, each.node.version.number if each.node.version else 0) for each in found] == [
        (1, 3),
        (2, 2),
        (3, 1),
    ]
    assert found[0].edges[0].reason == "the version before it"


def test_an_earlier_version_leads_to_the_later_ones(library: Library) -> None:
    first = library.documents.add_text("plan.md", "version 1").hash
    library.documents.add_text("plan.md", "version 2")
    found = library.documents.by_hash(first)
    assert found is not None
    related = library.graph.related(library.graph.node(found.document, found.object.id), 1).related
    assert [(each.node.hash, each.edges[0].reason) for each in related] == [
        (library.documents.get("plan.md").hash, "the version after it")
    ]


def test_near_duplicates(library: Library) -> None:
    library.documents.add_text("a.txt", PROSE.format(1) + "one more line about zebras")
    library.documents.add_text("b.txt", PROSE.format(1) + "another line about walruses")
    library.documents.add_text(
        "c.txt", "Nothing of this is like the others, however long it may become in the end. " * 5
    )
    found = relations(library, "a.txt")
    assert found["b.txt"]["near_duplicate"].endswith("% of the text is the same")
    assert "near_duplicate" not in found.get("c.txt", {})
    assert "near_duplicate" in relations(library, "b.txt")["a.txt"]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", "三毛猫"),
        ("ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์", "ไทย"),
    ],
)
def test_near_duplicates_in_scripts_without_spaces(library: Library, text: str, more: str) -> None:
    library.documents.add_text("a.txt", text * 3)
    library.documents.add_text("b.txt", text * 3 + more)
    assert "near_duplicate" in relations(library, "a.txt")["b.txt"]


def test_the_same_content_elsewhere(library: Library) -> None:
    library.documents.add_text("a.txt", "short")
    library.documents.add_text("b.txt", "short")
    assert relations(library, "a.txt") == {"b.txt": {"near_duplicate": "the same content"}}


def test_a_family_of_names_is_a_row_of_versions(library: Library) -> None:
    library.documents.add_text("plan-v1.md", PROSE.format(1) + "old end", modified=1)
    library.documents.add_text("plan-v2 final.md", PROSE.format(1) + "new end", modified=2)
    assert relations(library, "plan-v1.md")["plan-v2 final.md"]["version"].startswith("newer, by name and")
    assert relations(library, "plan-v2 final.md")["plan-v1.md"]["version"].startswith("older, by name and")


def test_content_that_moved_on(library: Library) -> None:
    library.documents.add_text("original.txt", "the first words")
    library.documents.add_text("copy.txt", "the first words")
    library.documents.add_text("original.txt", "the second words")
    assert relations(library, "copy.txt")["original.txt"] == {"version": "had this content before"}
    assert relations(library, "original.txt")["copy.txt"] == {"version": "has the content of version 1"}


@pytest.mark.parametrize(
    "text",
    [
        "See [the plan](plans/plan.md#start).",
        "See [the plan](./plans/plan.md).",
        "See [the plan][p].\n\n[p]: plans/plan.md",
        "See [[plan]].",
        "It is in plans/plan.md, as always.",
        "It is in `plan.md`.",
        'It is <a class="x" href="plans/plan.md">here</a>.',
        "It is <A HREF=plans/plan.md>here</A>.",
        "It is doc://docs/plans/plan.md.",
        "It is doc://plan.md",
    ],
)
def test_links_lead_both_ways(library: Library, text: str) -> None:
    library.documents.add_text("docs/index.md", text)
    library.documents.add_text("docs/plans/plan.md", "Plan.")  # stored after what links to it
    assert set(relations(library, "docs/index.md")["docs/plans/plan.md"]) == {"link"}
    assert relations(library, "docs/plans/plan.md")["docs/index.md"]["link"].startswith("links here as")


def test_a_link_by_hash(library: Library) -> None:
    digest = library.documents.add_text("plan.md", "Plan.").hash
    library.documents.add_text("index.md", f"See doc://{digest}.")
    assert set(relations(library, "plan.md")["index.md"]) == {"link"}
    assert set(relations(library, "index.md")["plan.md"]) == {"link"}


def test_a_name_that_several_have_is_no_link(library: Library) -> None:
    library.documents.add_text("a/readme.md", "One.")
    library.documents.add_text("b/readme.md", "Two.")
    library.documents.add_text("c/other.md", "See `readme.md`.")
    assert relations(library, "c/other.md") == {}
    library.documents.add_text("a/near.md", "Look at `readme.md`.")
    assert set(relations(library, "a/near.md")) == {"a/readme.md"}


def test_links_of_a_page_count(library: Library) -> None:
    library.documents.add(
        "site/index.html", made.made_html().replace(b"https://example.org/eagle", b"birds/eagle.html")
    )
    library.documents.add("site/birds/eagle.html", b"<!doctype html><html><body>An eagle.</body></html>")
    library.texts.read_all()
    assert "link" in relations(library, "site/birds/eagle.html")["site/index.html"]


def test_what_two_documents_cite(library: Library) -> None:
    library.documents.add_text("a.md", "As shown in https://doi.org/10.1000/XYZ.12 and https://example.org/page/.")
    library.documents.add_text("b.md", "Compare 10.1000/xyz.12, and (https://example.org/page#part).")
    assert relations(library, "a.md")["b.md"]["citation"] == "both cite doi:10.1000/xyz.12, example.org/page"


def test_imports(library: Library) -> None:
    library.documents.add_text("pkg/__init__.py", "")
    library.documents.add_text("pkg/core.py", "def compute_total(): return 1\n")
    library.documents.add_text("pkg/app.py", "from pkg.core import (\n    compute_total,\n)\nfrom . import core\n")
    assert relations(library, "pkg/app.py")["pkg/core.py"]["import"] == "imported as ./core.py"
    assert relations(library, "pkg/core.py")["pkg/app.py"]["import"] == "imports this"


def test_calls(library: Library) -> None:
    library.documents.add_text("lib/money.py", "def compute_total(x):\n    return x\n")
    library.documents.add_text("bin/run.py", "import something\nprint(something.compute_total(3))\n")
    assert relations(library, "bin/run.py")["lib/money.py"] == {"call": "defines what this calls: compute_total"}
    assert relations(library, "lib/money.py")["bin/run.py"] == {"call": "calls compute_total"}


def test_a_call_of_what_several_define_says_nothing(library: Library) -> None:
    for name in ("a", "b"):
        library.documents.add_text(f"{name}.py", "def compute_total(x):\n    return x\n")
    library.documents.add_text("run.py", "compute_total(3)\n")
    assert relations(library, "run.py") == {}


@pytest.mark.parametrize(
    ("user", "used", "code"),
    [
        ("web/app.ts", "web/tools.ts", 'import {x} from "./tools";'),
        ("web/app.js", "web/tools/index.js", 'const x = require("./tools")'),
        ("src/main.c", "src/util/list.h", '#include "util/list.h"\n'),
        ("src/Main.java", "src/com/acme/Cart.java", "import com.acme.Cart;"),
        ("src/main.rs", "src/parser/lexer.rs", "use crate::parser::lexer;"),
        ("bin/run.rb", "bin/helper.rb", 'require_relative "helper"'),
        ("bin/run.sh", "bin/common.sh", "source ./common.sh\n"),
        ("www/a.php", "www/inc/b.php", "<?php require_once 'inc/b.php';"),
        ("r/main.R", "r/tools.R", "source('tools.R')\n"),
    ],
)
def test_imports_of_other_languages(library: Library, user: str, used: str, code: str) -> None:
    library.documents.add_text(used, "\n")
    library.documents.add_text(user, code)
    assert "import" in relations(library, user)[used]


def test_rare_terms(library: Library) -> None:
    library.documents.add_text("a.txt", "quokka quokka numbat numbat and more words of a kind")
    library.documents.add_text("b.txt", "numbat, numbat and quokka quokka live there")
    library.documents.add_text("c.txt", "quokka alone is not enough, quokka")
    assert relations(library, "a.txt") == {"b.txt": {"rare_terms": "both about numbat, quokka"}}


def test_terms_that_everybody_has_are_not_rare(library: Library) -> None:
    for number in range(10):
        library.documents.add_text(f"{number}.txt", f"quokka quokka numbat numbat {number}")
    assert relations(library, "1.txt") == {}


def test_tags(library: Library) -> None:
    library.documents.add_text("a.txt", "one", tags=["trip", "2024"])
    library.documents.add_text("b.txt", "two", tags=["trip"])
    assert relations(library, "a.txt") == {"b.txt": {"tag": "both tagged trip"}}
    library.edits.tag(library.documents.get("b.txt"), remove=["trip"])
    assert relations(library, "a.txt") == {}


def test_deleting_a_document_removes_its_relations(library: Library) -> None:
    library.documents.add_text("a.md", "See [b](b.md), as https://example.org/x says.", tags=["t"])
    library.documents.add_text("b.md", "As https://example.org/x says.", tags=["t"])
    assert set(relations(library, "a.md")["b.md"]) == {"link", "citation", "tag"}
    library.documents.delete([library.documents.get("b.md")])
    assert relations(library, "a.md") == {}
    library.documents.undo()
    assert set(relations(library, "a.md")["b.md"]) == {"link", "citation", "tag"}
    library.documents.delete([library.documents.get("b.md")])
    library.care.collect(everything=True)
    assert relations(library, "a.md") == {}
    assert library.graph.traits.references(2) == []


def test_a_cycle_ends(library: Library) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        library.documents.add_text(f"{name}.md", f"See [{other}]({other}.md).")
    found = library.graph.related(library.documents.get("a.md"), 5)
    assert [(each.node.document.path, each.distance) for each in found.related] == [("b.md", 1), ("c.md", 1)]


def test_distance_and_way(library: Library) -> None:
    for number in range(7):
        library.documents.add_text(f"{number}.md", f"[next]({number + 1}.md)")
    found = library.graph.related(library.documents.get("0.md"), 5).related
    assert [(r.node.document.path, r.distance, r.via.document.path) for r in found] == [
        (f"{number}.md", number, f"{number - 1}.md") for number in range(1, 6)
    ]


def test_a_limit_is_said(library: Library) -> None:
    library.documents.add_text("hub.md", " ".join(f"[n]({number}.md)" for number in range(20)))
    for number in range(20):
        library.documents.add_text(f"{number}.md", f"leaf {number}")
    few = library.graph.related(library.documents.get("hub.md"), 1, limit=7)
    assert (len(few.related), few.complete) == (7, False)
    assert library.graph.related(library.documents.get("hub.md"), 1).complete


def test_names_that_only_a_parser_knows_are_found_as_names(library: Library) -> None:
    code = "static int\nfrobnicate_widget(struct widget *w)\n{\n    return spin(w);\n}\n"
    library.documents.add_text("widget.c", code)
    library.documents.add_text("widget.md", "frobnicate widget: how to, in prose\n")
    assert library.texts.of(library.documents.get("widget.c")).symbols == ()
    library.graph.trace()
    symbols = library.texts.of(library.documents.get("widget.c")).symbols
    assert [(symbol.name, symbol.line) for symbol in symbols] == [("frobnicate_widget", 2)]
    assert [hit.document.path for hit in library.search.keyword("heading:frobnicate_widget").hits] == ["widget.c"]
    before = library.catalog.documents.last_change()
    library.graph.trace()
    assert (library.catalog.documents.last_change(), library.graph.untraced()) == (before, 0)


def test_what_was_not_looked_at_is_said(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.documents.add_text("hub.md", PROSE.format("the hub"))
    for number in range(8):
        library.documents.add_text(f"copy {number}.md", PROSE.format(f"copy {number} [hub](hub.md)"))
    around = partial(library.graph.related, library.documents.get("hub.md"), 1)
    assert (len(around().related), around().complete) == (8, True)
    for limit in ("MOST_COMPARED", "MOST_REFERRING"):
        with monkeypatch.context() as changed:
            changed.setattr(f"rolltop.store.graph.edges.{limit}", 5)
            assert not around().complete


def test_many_near_duplicates_do_not_end_the_walk(library: Library) -> None:
    library.documents.add_text("start.md", PROSE.format("[next](middle.md)"))
    library.documents.add_text("middle.md", "[next](end.md)")
    library.documents.add_text("end.md", "the end")
    for number in range(30):
        library.documents.add_text(f"copy {number}.md", PROSE.format(number))
    found = library.graph.related(library.documents.get("start.md"), 2)
    assert {"middle.md", "end.md"} <= {related.node.document.path for related in found.related}
    assert not found.complete


def test_many_near_duplicates_leave_room_for_a_link(library: Library) -> None:
    library.documents.add_text("start.md", PROSE.format("[next](end.md)"))
    library.documents.add_text("end.md", "the end")
    for number in range(40):
        library.documents.add_text(f"copy {number}.md", PROSE.format(number))
    found = library.graph.related(library.documents.get("start.md"), 1)
    assert "end.md" in {related.node.document.path for related in found.related}
    assert not found.complete


@pytest.mark.parametrize("depth", [0, 6])
def test_depth_is_between_1_and_5(library: Library, depth: int) -> None:
    document = library.documents.add_text("a.md", "x").document
    with pytest.raises(InvalidInput):
        library.graph.related(document, depth)


def test_the_background_follows(tmp_path: Path) -> None:
    library = Library(tmp_path, Options(background=True))
    library.documents.add_text("a.md", "See [b](b.md).")
    library.documents.add_text("b.md", "Here.")
    assert set(relations(library, "b.md")) == {"a.md"}
    library.close()


def test_a_deleted_file_of_traits_is_built_again(tmp_path: Path) -> None:
    first = Library(tmp_path)
    first.documents.add_text("a.md", "See [b](b.md).")
    first.documents.add_text("b.md", "Here.")
    first.graph.trace()
    first.close()
    (tmp_path / "graph.db").write_bytes(b"no database " * 1000)
    second = Library(tmp_path)
    assert set(relations(second, "b.md")) == {"a.md"}
    assert second.care.verify().ok
    second.close()


_TRACER = """
import sys
from pathlib import Path
from rolltop.store import Library
library = Library(Path(sys.argv[1]))
library.graph.trace()
library.close()
"""


def test_several_processes_and_a_killed_one(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    for number in range(300):
        library.documents.add_text(f"{number}.md", f"[next]({number + 1}.md) " + PROSE.format(number))
    command = [sys.executable, "-c", _TRACER, str(tmp_path / "store")]
    processes = [subprocess.Popen(command) for _ in range(3)]
    while library.graph.traits.mark == 0 and any(process.poll() is None for process in processes):
        pass
    processes[0].kill()
    assert [process.wait(timeout=60) for process in processes][1:] == [0, 0]
    assert "299.md" in around(library, "298.md")
    library.close()


def test_without_parsers_lines_tell_what_code_defines_and_imports() -> None:
    code = "import os.path\nfrom .core import (\n    total,\n)\n\ndef compute_total():\n    return other_thing()\n"
    traits = traits_of(read_plain(code, "a.py", ".py"), ".py")
    assert (traits.defines, traits.calls) == (("python:compute_total",), ())
    assert {reference.path for reference in traits.references} >= {"./core.py", "os/path.py", "./core/total.py"}


def test_a_code_that_ends_its_parser_is_told_by_lines() -> None:
    workers = Workers(seconds=0.001)
    try:
        long, _ = workers.study([("python", "x = 1\n" * 150_000), ("python", "y = 2\n")])
        assert long is None
    finally:
        workers.close()


def test_starting_again_keeps_the_file_that_others_have_open(tmp_path: Path) -> None:
    one, other = Library(tmp_path), Library(tmp_path)
    one.documents.add_text("a.md", "See [b](b.md).")
    one.documents.add_text("b.md", "Here.")
    assert set(relations(other, "b.md")) == {"a.md"}
    one.indexes.mend(anew=True)
    assert other.graph.traits.mark == 0
    assert set(relations(other, "b.md")) == {"a.md"}
    assert one.graph.untraced() == 0
    one.close()
    other.close()
