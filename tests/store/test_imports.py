"""Exports of other programs become documents."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rolltop.errors import InvalidData
from rolltop.store import Library, Listing, import_foreign

Run = Callable[..., subprocess.CompletedProcess[str]]

CHATGPT = [
    {
        "id": "c-1",
        "title": "Bread",
        "create_time": 1700000000.0,
        "update_time": 1700000100.0,
        "current_node": "d",
        "mapping": {
            "a": {"message": None, "parent": None, "children": ["b"]},
            "b": {"message": {"author": {"role": "user"}, "content": {"parts": ["How hot?"]}}, "parent": "a"},
            "x": {
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["An answer given up"]}},
                "parent": "b",
            },
            "d": {
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["240 degrees", {"x": 1}]}},
                "parent": "b",
            },
        },
    },
    {"title": "Nothing said", "mapping": {}},
]
CLAUDE = [
    {
        "uuid": "u-1",
        "name": "Roses",
        "created_at": "2024-05-01T10:00:00Z",
        "chat_messages": [
            {"sender": "human", "text": "When do I prune?"},
            {"sender": "assistant", "content": [{"type": "text", "text": "In March."}], "text": ""},
        ],
    }
]
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
  <DT><H3>Work</H3>
  <DL><p>
    <DT><A HREF="https://example.org/guide" ADD_DATE="1600000000" TAGS="docs,python">The guide</A>
    <DD>How to begin
    <DT><A HREF="javascript:alert(1)">A script</A>
  </DL><p>
  <DT><A HREF="https://example.org/">Home</A>
</DL>
"""
MAILBOX = (
    b"From a@example.org Mon Jan  1 10:00:00 2024\nSubject: First\nMessage-ID: <1@x>\n"
    b"Date: Mon, 1 Jan 2024 10:00:00 +0000\n\nHello\n\n"
    b"From b@example.org Tue Jan  2 10:00:00 2024\nSubject: Second\nMessage-ID: <2@x>\n\nAgain\n"
)
BIBTEX = """@string{acm = "ACM Press"}
@article{curie1898, author = {Curie, Marie and Pierre Curie}, title = {{Rays} of "Becquerel"},
  journal = acm # { Journal}, year = 1898, keywords = {radium, physics}, abstract = {A {nested} text.}, doi={10.1/x}}
@comment{nothing}
@book(knuth, title = "The Art", year = {1968})
"""


def stored(library: Library, data: bytes) -> dict[str, str]:
    import_foreign(library, data)
    found = library.documents.select(Listing())
    return {document.path: library.documents.read(document).decode() for document in found}


def test_conversations_become_documents_with_what_was_said(library: Library) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("export/conversations.json", json.dumps(CHATGPT))
    ((path, text),) = stored(library, archive.getvalue()).items()
    assert path.startswith("conversations/chatgpt/bread-")
    assert text == "# Bread\n\n## User\n\nHow hot?\n\n## Assistant\n\n240 degrees\n"
    document = library.documents.get(path)
    assert (document.tags, document.metadata["source"]) == (("conversation",), "chatgpt")
    assert (document.created, document.modified) == (1700000000 * 10**9, 1700000100 * 10**9)


def test_a_later_export_makes_new_versions(library: Library) -> None:
    stored(library, json.dumps(CLAUDE).encode())
    more = json.loads(json.dumps(CLAUDE))
    more[0]["chat_messages"].append({"sender": "human", "text": "Thanks"})
    tally = import_foreign(library, json.dumps(more).encode())
    assert (tally.new, tally.versions) == (0, 1)
    (document,) = library.documents.select(Listing())
    assert library.documents.read(document).decode().endswith("In March.\n\n## User\n\nThanks\n")


def test_bookmarks_keep_their_folders_tags_and_descriptions(library: Library) -> None:
    found = stored(library, BOOKMARKS.encode())
    assert [text for path, text in sorted(found.items()) if "/Work/" in path] == [
        "# The guide\n\n<https://example.org/guide>\n\nHow to begin\n"
    ]
    assert len(found) == 2
    (guide,) = library.documents.select(Listing(tags=("python",)))
    assert guide.path.startswith("bookmarks/Work/the-guide-")
    assert guide.created == 1600000000 * 10**9


def test_messages_of_a_mailbox_are_stored_one_by_one(library: Library) -> None:
    found = stored(library, MAILBOX)
    assert sorted(path.rpartition("-")[0] for path in found) == ["mail/first", "mail/second"]
    assert any("Hello" in text for text in found.values())


def test_entries_of_a_bibliography_can_be_read_and_cited(library: Library) -> None:
    found = stored(library, BIBTEX.encode())
    (curie,) = [text for path, text in found.items() if "rays" in path]
    assert curie.startswith(
        '# Rays of "Becquerel"\n\nMarie Curie and Pierre Curie (1898). ACM Press Journal. https://doi.org/10.1/x\n\n'
        "A nested text.\n\n```bibtex\n@article{curie1898"
    )
    assert curie.rstrip().endswith("doi={10.1/x}}\n```")
    (document,) = library.documents.select(Listing(tags=("radium",)))
    assert dict(library.documents.filled(document).metadata) == {
        "type": "article",
        "key": "curie1898",
        "year": 1898,
        "doi": "10.1/x",
    }
    assert any("# The Art" in text for text in found.values())


@pytest.mark.parametrize("data", [b"just a text", b"[1, 2]", b"[{", b'{"a": 1}'])
def test_what_is_no_export_says_what_is_read(library: Library, data: bytes) -> None:
    with pytest.raises(InvalidData, match="export"):
        import_foreign(library, data)


def test_the_command_imports_what_export_wrote_and_what_others_did(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIBTEX)
    assert json.loads(rolltop("store", "import", str(tmp_path / "refs.bib"), "--json").stdout)["new"] == 2
    assert rolltop("store", "export", str(tmp_path / "all.tar")).returncode == 0
    assert json.loads(rolltop("store", "import", str(tmp_path / "all.tar"), "--json").stdout)["unchanged"] == 2
