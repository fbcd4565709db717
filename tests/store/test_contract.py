"""The tools are what the documented contract says: names, schemas, defaults, examples, response fields."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcp_core import Answer, ClientInfo
from rolltop.server.application import Application
from rolltop.settings import load

CONTRACT: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "contract.json").read_text())
WITH_SCHEMA = [name for name, tool in CONTRACT.items() if "input" in tool]
EXAMPLES = [
    pytest.param(name, example["arguments"], id=f"{name}-{number}")
    for name, tool in CONTRACT.items()
    for number, example in enumerate(tool["examples"])
]


class Server:
    """A desk to call tools on, as a client would."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        env = {"ROLLTOP_WORKSPACE": str(directory / "workspace"), "XDG_CONFIG_HOME": str(directory)}
        self.desk = Application(load(env={**env, "ROLLTOP_CONSENT": "literal"}))

    def wire(self, name: str) -> dict[str, Any]:
        registered = self.desk.registry.find(name)
        assert registered is not None, name
        return dict(registered.wire)

    def answer(self, name: str, arguments: dict[str, Any]) -> Answer:
        return asyncio.run(self.desk.dispatcher.call(name, arguments, self.desk.context(ClientInfo())))

    def call(self, name: str, arguments: dict[str, Any], *, fails: bool = False) -> dict[str, Any]:
        answer = self.answer(name, arguments)
        assert answer.is_error is fails, answer.text
        if name != "grep_documents":  # whose text is like ripgrep's
            assert json.loads(answer.text) == answer.structured
        jsonschema.validate(answer.structured, self.wire(name)["outputSchema"])
        return dict(answer.structured)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    made = Server(tmp_path)
    yield made
    made.desk.close()


@pytest.mark.parametrize("name", CONTRACT)
def test_the_tool_exists(server: Server, name: str) -> None:
    assert server.wire(name)["inputSchema"]["type"] == "object"


@pytest.mark.parametrize("name", WITH_SCHEMA)
def test_every_parameter_is_published_as_documented(server: Server, name: str) -> None:
    ours, documented = server.wire(name)["inputSchema"], CONTRACT[name]["input"]
    for parameter, said in documented["properties"].items():
        published = ours["properties"][parameter]
        more = {"object"} if (name, parameter) == ("update_metadata", "metadata") else set()
        assert types_of(published) == {said["type"], *more}, parameter
        for key in ("default", "minimum", "maximum"):
            if key in said and (key, said[key]) != ("minimum", 1):  # which goes without saying in the list
                assert published[key] == said[key], (parameter, key)
        assert published.get("description", "").startswith(said.get("description", "")), parameter
        if said["type"] == "array":
            assert said["items"] == {"type": "string"} == items_of(published), parameter
    tags_alone = name == "update_metadata"  # what it also takes instead of metadata
    always = set() if tags_alone else set(documented.get("required", []))
    assert set(ours.get("required", [])) == always


def types_of(schema: dict[str, Any]) -> set[str]:
    kinds = [option["type"] for option in schema.get("anyOf", [schema])]
    return {each for kind in kinds for each in ([kind] if isinstance(kind, str) else kind)} - {"null"}


def items_of(schema: dict[str, Any]) -> Any:
    options = schema.get("anyOf", [schema])
    return next(option["items"] for option in options if "array" in option["type"])


def prepare(server: Server) -> str:
    (server.directory / "tmp").mkdir(exist_ok=True)
    (server.directory / "tmp" / "meeting-notes.txt").write_text("Database optimization: measure first.\n")
    server.call("store_text", {"content": "export function a() async {}\n", "name": "src/a.js"})
    stored = server.call("store_text", {"content": "Database optimization.\n", "name": "db.md"})
    return str(stored["hash"])


@pytest.mark.parametrize(("name", "arguments"), EXAMPLES)
def test_every_documented_example_is_answered(server: Server, name: str, arguments: dict[str, Any]) -> None:
    digest = prepare(server)
    if name == "update_metadata":
        arguments = arguments | {"hash": digest}
    if "path" in arguments:
        arguments = arguments | {"path": str(server.directory) + arguments["path"]}
    if "outputPath" in arguments:
        arguments = arguments | {"outputPath": str(server.directory) + arguments["outputPath"]}
    answer = server.call(name, arguments)
    if name == "retrieve_document":
        assert answer == {"found": False}
        return
    documented = CONTRACT[name].get("response", {})
    assert documented.keys() <= answer.keys()
    for key, value in documented.items():
        assert isinstance(answer[key], type(value) | int | float if isinstance(value, float | int) else type(value)), (
            key
        )


def test_the_documented_fields_of_a_result(server: Server) -> None:
    digest = prepare(server)
    found = server.call("search_documents", {"query": "database optimization", "limit": 5})
    assert (found["type"], found["total"], found["model"], found["embedded"]) == ("hybrid", 1, "wordllama", 1.0)
    assert CONTRACT["search_documents"]["response"]["results"][0].keys() <= found["results"][0].keys()
    fuzzy = server.call("search_documents", {"query": "databse optimizaton", "fuzzy": True, "similarity": 0.6})
    assert (fuzzy["type"], fuzzy["results"][0]["path"]) == ("fuzzy", "db.md")
    by_hash = server.call("search_documents", {"query": "placeholder", "hash": digest[:8]})
    assert (by_hash["type"], by_hash["results"][0]["hash"]) == ("hash", digest)
    assert server.call("search_documents", {"query": digest[:12]})["type"] == "hash"
    got = server.call("retrieve_document", {"hash": digest, "outputPath": "out.txt"})
    assert (got["found"], got["size"], got["path"]) == (True, 23, str(server.directory / "out.txt"))
    assert (server.directory / "out.txt").read_text() == "Database optimization.\n"


def test_a_hash_that_several_documents_have(server: Server) -> None:
    names = ["a.md", "b.md", "c.md"]
    stored = [server.call("store_text", {"content": "the same\n", "name": name}) for name in names]
    digest = stored[0]["hash"]
    pages, cursor = list[str](), None
    while True:
        arguments = {"query": "q", "hash": digest[:10], "limit": 2} | ({"cursor": cursor} if cursor else {})
        found = server.call("search_documents", arguments)
        assert found["total"] == 3
        pages += [hit["path"] for hit in found["results"]]
        if (cursor := found.get("next_cursor")) is None:
            break
    assert pages == names
    several = server.call("update_metadata", {"hash": digest, "metadata": ["k=1"]}, fails=True)
    assert (several["code"], several["details"]["candidates"]) == ("invalid_arguments", names)
    assert server.call("list_documents", {"metadata": {"k": 1}})["total"] == 0
    assert server.call("cat_document", {"hash": digest})["content"] == "the same\n"
    for name in names[:2]:
        server.call("store_text", {"content": "another\n", "name": name})
    assert server.call("update_metadata", {"hash": digest, "metadata": ["k=1"]})["path"] == "c.md"
    hits = server.call("search_documents", {"query": digest})["results"]
    assert [(hit["path"], hit["hash"] == digest, hit["current"]) for hit in hits] == [
        ("c.md", True, True),
        ("a.md", True, False),
        ("b.md", True, False),
    ]


def test_a_hit_by_hash_shows_how_its_content_begins(server: Server) -> None:
    first = server.call("store_text", {"content": "# Old\nFirst words.\n", "name": "a.md"})["hash"]
    second = server.call("store_text", {"content": "# New\nOther words.\n", "name": "a.md"})["hash"]
    shown = [server.call("search_documents", {"query": digest})["results"][0]["snippet"] for digest in (first, second)]
    assert shown == ["# Old First words.", "# New Other words."]


def test_a_word_that_looks_like_a_hash_is_still_a_word(server: Server) -> None:
    server.call("store_text", {"content": "The code is deadbeef today.\n", "name": "code.txt"})
    found = server.call("search_documents", {"query": "deadbeef"})
    assert (found["type"], found["total"]) == ("hybrid", 1)


def test_paths_only(server: Server) -> None:
    prepare(server)
    found = server.call("search_documents", {"query": "optimization", "paths_only": True})
    assert found["paths"] == ["db.md"]
    assert "results" not in found


def test_lines_around_the_words_of_a_search(server: Server) -> None:
    server.call("store_text", {"content": "one\ntwo words\nthree\nfour\n", "name": "n.txt"})
    arguments = {"query": "words", "line_numbers": True, "after_context": 2, "context": 1}
    match = server.call("search_documents", arguments)["results"][0]["matches"][0]
    assert (match["line_number"], match["before"], match["after"]) == (2, ["one"], ["three", "four"])


def test_a_search_says_where_its_hits_stand_and_whether_all_lines_are_shown(server: Server) -> None:
    text = "Das Café.\nÜber die Größe.\n検索エンジンは速い\n" + "a marmot\n" * 50
    server.call("store_text", {"content": text, "name": "a.md"})

    def found(query: str, **more: object) -> dict[str, Any]:
        arguments = {"query": query, "type": "keyword", "line_numbers": True, **more}
        result: dict[str, Any] = server.call("search_documents", arguments)["results"][0]
        return result

    for number, query in enumerate(("café", "grosse", "検索"), 1):
        hit = found(query)
        assert (hit["place"], [match["line_number"] for match in hit["matches"]]) == (f"line {number}", [number])
        assert hit["matches_complete"] is True
        assert "place" not in hit["matches"][0]
    assert found("grosse", color="always")["matches"][0]["line"] == "Über die \x1b[01;31m\x1b[KGröße\x1b[m\x1b[K."
    many = found("marmot")
    assert (len(many["matches"]), many["matches_complete"]) == (20, False)


def test_bytes_add_up(server: Server) -> None:
    text = "the same line again\n" * 5000
    first = server.call("store_text", {"content": text, "name": "a.txt"})
    second = server.call("store_text", {"content": text, "name": "b.txt"})
    third = server.call("store_text", {"content": "x" + text, "name": "a.txt"})
    for stored in (first, second, third):
        assert stored["bytes_stored"] + stored["bytes_deduped"] == stored["size"]
    assert second["bytes_stored"] == second["bytes_written"] == 0
    assert 0 < first["bytes_written"] < first["bytes_stored"]


def test_grep_answers_in_the_documented_shape(server: Server) -> None:
    server.call("store_text", {"content": "a\nb foo c\nd\n", "name": "src/x.txt"})
    server.call("store_text", {"content": "nothing\n", "name": "src/y.txt"})
    found = server.call("grep_documents", {"pattern": "fo+", "paths": ["src/"], "context": 1})
    assert found["complete"] is True
    assert found["results"][0]["file"] == "src/x.txt"
    assert found["results"][0]["matches"] == [
        {"line_number": 2, "line": "b foo c", "column_start": 3, "column_end": 6, "before": ["a"], "after": ["d"]}
    ]
    assert server.call("grep_documents", {"pattern": "foo", "count": True})["results"][0]["match_count"] == 1
    assert server.call("grep_documents", {"pattern": "foo", "files_with_matches": True})["files_with_matches"] == [
        "src/x.txt"
    ]
    assert server.call("grep_documents", {"pattern": "foo", "files_without_match": True})["files_without_match"] == [
        "src/y.txt"
    ]
    shown = server.answer("grep_documents", {"pattern": "foo", "line_numbers": True, "context": 1})
    assert shown.text == "src/x.txt\n1-a\n2:b foo c\n3-d"
    before = server.call("grep_documents", {"pattern": "foo", "context": 1, "before_context": 0, "after_context": 1})
    assert before["results"][0]["matches"][0]["before"] == ["a"]


def test_a_long_grep_goes_on_with_its_cursor(server: Server) -> None:
    for number in range(60):
        server.call("store_text", {"content": f"match {number} {'x' * 2000}\n", "name": f"{number:02d}.txt"})
    seen, cursor = list[str](), None
    while True:
        answer = server.call("grep_documents", {"pattern": "^match", **({"cursor": cursor} if cursor else {})})
        seen += [result["file"] for result in answer["results"]]
        cursor = answer.get("next_cursor")
        assert answer["complete"] is (cursor is None)
        if cursor is None:
            break
    assert seen == [f"{number:02d}.txt" for number in range(60)]


def pages(server: Server, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Every answer, following the cursor."""
    cursor = None
    while True:
        answer = server.call("grep_documents", {**arguments, **({"cursor": cursor} if cursor else {})})
        assert "answer_too_large" not in answer
        cursor = answer.get("next_cursor")
        assert answer["complete"] is (cursor is None)
        yield answer
        if cursor is None:
            break


@pytest.mark.parametrize("more", [{}, {"line_numbers": True, "with_filename": True, "color": "always", "context": 1}])
def test_grep_goes_on_in_the_middle_of_a_document(server: Server, more: dict[str, Any]) -> None:
    for name in ("a/many.txt", "b/many.txt"):
        text = "".join(f'match "{number}"\nno\n' for number in range(2000))
        server.call("store_text", {"content": text, "name": name})
    seen = list[tuple[str, int]]()
    for answer in pages(server, pattern="mat.h", **more):
        seen += [(file["file"], line["line_number"]) for file in answer["results"] for line in file["matches"]]
    assert seen == [(name, 2 * number + 1) for name in ("a/many.txt", "b/many.txt") for number in range(2000)]


def test_grep_shows_a_piece_of_a_line_that_is_too_long(server: Server) -> None:
    long = "<p>" * 300_000 + "longneedle" + "</p>" * 300_000
    server.call("store_text", {"content": f"first longneedle\n{long}\nafter\n", "name": "a.html"})
    server.call("store_text", {"content": "a deepcat\n", "name": "b.txt"})
    for more in ({}, {"line_numbers": True, "context": 1}, {"color": "always"}):
        found = list(pages(server, pattern="longneedle|deepcat", **more))
        lines = [line for answer in found for file in answer["results"] for line in file["matches"]]
        assert [line["line_number"] for line in lines] == [1, 2, 1]
        piece = lines[1]
        assert (piece["column_start"], piece["column_end"]) == (900_001, 900_011)
        assert (piece["line_length"], piece["line_from"] < 900_001) == (len(long), True)
        assert "longneedle" in piece["line"]
        assert long[piece["line_from"] - 1 :].startswith(piece["line"][:50])
        assert any("long lines are shown" in answer.get("note", "") for answer in found)
        assert "line_length" not in lines[0]


def test_grep_fits_any_context_into_answers(server: Server) -> None:
    around = "".join(f"{number} {'x' * 50}\n" for number in range(5000))
    server.call("store_text", {"content": f"{around}needle\n{around}", "name": "a.txt"})
    server.call("store_text", {"content": f"{'y' * 200_000}\nneedle\n{'y' * 200_000}\n", "name": "b.txt"})
    for more in ({}, {"line_numbers": True}):
        found = list(pages(server, pattern="needle", context=6000, **more))
        lines = {file["file"]: file["matches"][0] for answer in found for file in answer["results"]}
        assert lines["a.txt"]["before"][-1].startswith("4999 ")
        assert (lines["a.txt"]["after"][0][:2], lines["b.txt"]["before"][0][-2:]) == ("0 ", "y…")


def test_grep_pages_of_names_and_counts_follow_their_cursor(server: Server) -> None:
    names = [f"{'d' * 200}/{number:03d}.txt" for number in range(600)]
    steps = [{"op": "store_text", "arguments": {"content": "needle\n", "name": name}} for name in names]
    server.call("bulk_operations", {"operations": steps[:300]})
    server.call("bulk_operations", {"operations": steps[300:]})
    by_name = [
        name
        for answer in pages(server, pattern="needle", files_with_matches=True)
        for name in answer["files_with_matches"]
    ]
    counted = [file["file"] for answer in pages(server, pattern="needle", count=True) for file in answer["results"]]
    assert by_name == counted == names


def test_a_cursor_of_something_else_is_refused(server: Server) -> None:
    cursor = "WzFd"
    assert server.call("grep_documents", {"pattern": "x", "cursor": cursor}, fails=True)["code"] == "invalid_arguments"


def test_content_comes_as_text_as_blob_and_in_parts(server: Server, tmp_path: Path) -> None:
    import base64

    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    digest = server.call("store_document", {"path": "b.bin"})["hash"]
    got = server.call("retrieve_document", {"hash": digest, "include_content": True})
    assert base64.b64decode(got["blob"]) == bytes(range(256))
    text = "".join(f"line {number} äöü\n" for number in range(20_000))
    digest = server.call("store_text", {"content": text, "name": "long.txt"})["hash"]
    read, offset = "", 0
    while True:
        part = server.call("retrieve_document", {"hash": digest, "include_content": True, "offset": offset})
        read += part["content"]
        if part["complete"]:
            break
        offset = part["next_offset"]
    assert read == text
    lines = server.call("cat_document", {"name": "long.txt", "start_line": 3, "end_line": 4})
    assert lines["content"] == "line 2 äöü\nline 3 äöü\n"
    cut = server.call("get_by_name", {"name": "long.txt", "offset": 5, "length": 3})
    assert (cut["content"], cut["complete"], cut["next_offset"]) == ("0 ", False, 7)  # not half a character


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp1252"])
def test_text_in_another_encoding_comes_as_text(server: Server, tmp_path: Path, encoding: str) -> None:
    text = "".join(f"line {number} äöü\r\n" for number in range(9_000))
    (tmp_path / "other.txt").write_bytes(text.encode(encoding))
    digest = server.call("store_document", {"path": "other.txt"})["hash"]
    found = server.call("grep_documents", {"pattern": "line 77 äö", "line_numbers": True})
    assert [match["line_number"] for match in found["results"][0]["matches"]] == [78]
    lines = server.call("cat_document", {"name": "other.txt", "start_line": 3, "end_line": 4})
    assert (lines["content"], lines["complete"]) == ("line 2 äöü\r\nline 3 äöü\r\n", True)
    again = server.call(
        "cat_document", {"hash": digest, "offset": lines["start"], "length": lines["end"] - lines["start"]}
    )
    assert again["content"] == lines["content"]
    read, offset = "", 0
    while offset is not None:
        part = server.call("retrieve_document", {"hash": digest, "include_content": True, "offset": offset})
        read, offset = read + part["content"], part.get("next_offset")
    assert read == text
    (listed,) = server.call("list_documents", {"type": "text"})["documents"]
    assert listed["mime_type"].startswith("text/plain; charset=")


def test_a_page_comes_in_the_charset_it_declares(server: Server, tmp_path: Path) -> None:
    page = "<html>\n<meta charset=shift_jis>\n" + "<p>東京タワー\n" * 5_000
    (tmp_path / "page.html").write_bytes(page.encode("cp932"))
    digest = server.call("store_document", {"path": "page.html"})["hash"]
    lines = server.call("cat_document", {"name": "page.html", "start_line": 3, "end_line": 3})
    assert lines["content"] == "<p>東京タワー\n"
    cut = {"hash": digest, "offset": lines["start"], "length": lines["end"] - lines["start"]}
    assert server.call("cat_document", cut)["content"] == lines["content"]
    read, offset = "", 0
    while offset is not None:
        part = server.call("retrieve_document", {"hash": digest, "include_content": True, "offset": offset})
        read, offset = read + part["content"], part.get("next_offset")
    assert read == page


def test_errors_have_the_documented_form(server: Server) -> None:
    missing = server.call("get_by_name", {"name": "nothing"}, fails=True)
    assert (missing["code"], "error" in missing) == ("document_not_found", True)
    assert server.call("update_metadata", {"metadata": ["a=1"]}, fails=True)["code"] == "invalid_arguments"
    both = {"hash": "0" * 64, "name": "a", "metadata": ["a=1"]}
    assert server.call("update_metadata", both, fails=True)["code"] == "invalid_arguments"
    assert server.call("store_document", {"path": "/etc/shadow"}, fails=True)["code"] == "permission_denied"
    assert server.call("grep_documents", {"pattern": "("}, fails=True)["code"] == "invalid_arguments"


def test_deleting_needs_consent_and_a_dry_run_does_not(server: Server) -> None:
    prepare(server)
    tried = server.call("delete_by_name", {"pattern": "*.md", "dry_run": True})
    assert (tried["count"], tried["deleted"][0]["name"]) == (1, "db.md")
    assert server.call("delete_by_name", {"name": "db.md"}, fails=True)["code"] == "consent_required"
    assert server.call("delete_by_name", {"names": ["db.md", "x"], "confirm": "DELETE_DOCUMENTS"})["not_found"] == ["x"]
    assert server.call("list_documents", {})["total"] == 1


def test_overwriting_a_file_needs_consent(server: Server, tmp_path: Path) -> None:
    digest = prepare(server)
    (tmp_path / "out.txt").write_text("mine")
    wanted = {"hash": digest, "outputPath": "out.txt"}
    assert server.call("retrieve_document", wanted, fails=True)["code"] == "consent_required"
    assert (tmp_path / "out.txt").read_text() == "mine"
    server.call("retrieve_document", wanted | {"confirm": "OVERWRITE_FILE"})
    assert (tmp_path / "out.txt").read_text() == "Database optimization.\n"


def test_output_path_does_not_leave_the_allowed_directories(server: Server) -> None:
    digest = prepare(server)
    answer = server.call("retrieve_document", {"hash": digest, "outputPath": "/etc/rolltop-was-here"}, fails=True)
    assert answer["code"] == "permission_denied"
    assert not Path("/etc/rolltop-was-here").exists()


def test_a_missing_output_directory_is_not_a_missing_document(server: Server, tmp_path: Path) -> None:
    digest = prepare(server)
    (tmp_path / "file").write_text("x")
    for path, said in {"out/no/such/dir/o.txt": "no directory 'dir'", "file/o.txt": "'file' is a file"}.items():
        answer = server.call("retrieve_document", {"hash": digest, "outputPath": path}, fails=True)
        assert (answer["code"], said in answer["error"]) == ("invalid_arguments", True), answer


@pytest.mark.parametrize("kind", ["keyword", "semantic", "hybrid"])
def test_a_query_without_words_is_said_to_have_none(server: Server, kind: str) -> None:
    prepare(server)
    for query in ("", " ", "?!"):
        answer = server.call("search_documents", {"query": query, "type": kind})
        assert (answer["total"], answer["note"]) == (0, "The query has no words to look for.")
    assert "note" not in server.call("search_documents", {"query": "zzzzzzzzzzzz", "type": "keyword"})


def test_every_filter_of_a_listing(server: Server) -> None:
    server.call("store_text", {"content": "a\n", "name": "a.py", "tags": ["code/py"], "metadata": {"n": 1}})
    server.call("store_text", {"content": "bbbb\n", "name": "b.md"})

    def paths(**filters: Any) -> list[str]:
        return [document["path"] for document in server.call("list_documents", filters)["documents"]]

    assert (
        paths(extension="py") == paths(extension=".py") == paths(tags=["code"]) == paths(metadata={"n": 1}) == ["a.py"]
    )
    assert paths(type="text", sort_by="size", sort_order="asc") == ["a.py", "b.md"]
    assert paths(sort_by="name", sort_order="desc") == ["b.md", "a.py"]
    assert paths(binary=True) == paths(created_before="1d") == paths(modified_after="2099-01-01") == []
    assert len(paths(created_after="7d", indexed_after="yesterday", modified_before="2099-01-01", text=True)) == 2
    assert paths(recent=1) == ["b.md"]
    assert paths(recent=1, extension=".py", type="text", sort_by="modified", sort_order="desc") == ["a.py"]
    assert paths(metadata={"n": {"<=": 1.0}}) == ["a.py"]
    assert server.call("list_documents", {"metadata": {"n": {"in": [1]}}}, fails=True)["code"] == "invalid_arguments"
    assert paths(mime="text/mark*") == ["b.md"]
    first = server.call("list_documents", {"limit": 1, "facets": True, "sort_by": "name", "sort_order": "asc"})
    assert first["total"] == 2
    assert first["facets"]["extension"] == {".md": 1, ".py": 1}
    second = server.call(
        "list_documents", {"limit": 1, "sort_by": "name", "sort_order": "asc", "cursor": first["next_cursor"]}
    )
    assert second["documents"][0]["name"] == "b.md"
    assert "next_cursor" not in second
    other = server.call("list_documents", {"sort_by": "size", "cursor": first["next_cursor"]}, fails=True)
    assert (other["code"], "another order" in other["error"]) == ("invalid_arguments", True)


def test_statistics(server: Server) -> None:
    server.call("store_text", {"content": "same\n" * 100, "name": "a.txt"})
    server.call("store_text", {"content": "same\n" * 100, "name": "b.txt"})
    stats = server.call("get_stats", {"detailed": True, "file_types": True})
    assert (stats["total_objects"], stats["total_bytes"], stats["unique_blocks"]) == (2, 1000, 1)
    assert (stats["deduplicated_bytes"], stats["dedup_ratio"]) == (500, 0.5)
    assert stats["file_types"][0] == {
        "extension": ".txt", "mime_type": "text/plain", "type": "text", "count": 2, "bytes": 1000
    }  # fmt: skip
    assert stats["detailed"]["largest"][0]["size"] == 500


def test_bulk_steps_refer_to_each_other(server: Server) -> None:
    steps = [
        {"op": "store_text", "arguments": {"content": "one\n", "name": "one.txt"}},
        {"op": "update_metadata", "arguments": {"hash": "$1.hash", "metadata": ["n=1"]}},
        {"op": "list_documents", "arguments": {}},
        {"op": "cat_document", "arguments": {"name": "$prev.documents[0].path"}},
        {"op": "grep_documents", "arguments": {"pattern": "one"}},
        {"op": "store_text", "arguments": {"content": "$$5\n", "name": "price.txt"}},
    ]
    answer = server.call("bulk_operations", {"operations": steps})
    assert (answer["succeeded"], answer["failed"], answer["committed"]) == (6, 0, True)
    assert answer["results"][3]["result"]["content"] == "one\n"
    assert answer["results"][4]["result"]["results"][0]["file"] == "one.txt"
    assert server.call("cat_document", {"name": "price.txt"})["content"] == "$5\n"


def test_bulk_is_all_or_nothing_when_asked(server: Server) -> None:
    steps = [
        {"op": "store_text", "arguments": {"content": "one\n", "name": "one.txt"}},
        {"op": "get_by_name", "arguments": {"name": "missing"}},
        {"op": "store_text", "arguments": {"content": "two\n", "name": "two.txt"}},
    ]
    failed = server.call("bulk_operations", {"operations": steps, "atomic": True}, fails=True)
    assert failed["code"] == "document_not_found"
    assert failed["error"].startswith("step 2 (get_by_name) failed, and nothing was kept: no document is called")
    undone = failed["details"]
    assert (undone["committed"], undone["succeeded"], undone["failed"]) == (False, 0, 1)
    assert [(step["success"], step["code"]) for step in undone["results"]] == [
        (False, "undone"),
        (False, "document_not_found"),
    ]
    assert server.call("list_documents", {})["total"] == 0
    tried = server.call("bulk_operations", {"operations": steps, "dry_run": True})
    assert (tried["committed"], tried["succeeded"]) == (False, 2)
    assert server.call("list_documents", {})["total"] == 0
    kept = server.call("bulk_operations", {"operations": steps})
    assert (kept["committed"], kept["succeeded"], kept["failed"]) == (True, 2, 1)
    assert server.call("search_documents", {"query": "two"})["total"] == 1
    deleting = {"operations": [{"op": "delete_by_name", "arguments": {"name": "one.txt"}}]}
    assert server.call("bulk_operations", deleting, fails=True)["code"] == "consent_required"


def test_tags_have_a_hierarchy(server: Server) -> None:
    for number, tags in enumerate((["p/a"], ["p/b"], ["q"])):
        server.call("store_text", {"content": f"text {number}\n", "name": f"{number}.txt", "tags": tags})

    def names(**arguments: Any) -> set[str]:
        return {document["name"] for document in server.call("search_by_tag", arguments)["documents"]}

    assert names(tags=["p"]) == {"0.txt", "1.txt"}
    assert names(tags=["p", "q"], match_all=False, exclude=["p/a"]) == {"1.txt", "2.txt"}
    assert names(tags=["p"], query="text") == {"0.txt", "1.txt"}
    assert names(tags=["p", "q"]) == set()


def test_a_search_says_why_and_what_it_could_not_read(server: Server) -> None:
    prepare(server)
    found = server.call("search_documents", {"query": "optimizations AND (database", "type": "keyword"})
    assert found["note"].startswith("The query was searched as plain words")
    assert found["results"][0]["why"].startswith("body ")
    assert server.call("search_documents", {"query": 'type:text "database optimization" -nothing'})["total"] == 1


def test_a_search_goes_on_with_its_cursor_and_colours_what_it_shows(server: Server) -> None:
    for number in range(7):
        server.call("store_text", {"content": f"a red apple {'x ' * number}\n", "name": f"{number}.txt"})
    seen, cursor = list[str](), None
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = server.call(
            "search_documents", {"query": "apples", "type": "keyword", "limit": 3, "color": "always", **more}
        )
        assert page["total"] == 7
        seen += [hit["path"] for hit in page["results"]]
        assert "\x1b[01;31m\x1b[Kapple" in page["results"][0]["snippet"]
        assert "\x1b[01;31m\x1b[Kapple" in page["results"][0]["matches"][0]["line"]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert sorted(seen) == [f"{number}.txt" for number in range(7)]


def test_each_type_of_search_says_what_was_done(server: Server) -> None:
    server.call("store_text", {"content": "A kitten sleeps on the sofa.\n", "name": "cat.md"})
    server.call("store_text", {"content": "The central bank raised interest rates.\n", "name": "bank.md"})
    words, meaning, both = (
        server.call("search_documents", {"query": "young cat on a couch", "type": kind})
        for kind in ("keyword", "semantic", "hybrid")
    )
    assert (words["type"], meaning["type"], both["type"]) == ("full-text", "semantic", "hybrid")
    assert "model" not in words
    assert (meaning["model"], meaning["embedded"], both["model"]) == ("wordllama", 1.0, "wordllama")
    assert [hit["path"] for hit in meaning["results"]] == ["cat.md", "bank.md"]
    assert meaning["results"][0]["snippet"].startswith("A kitten")
    assert meaning["results"][0]["why"].startswith("meaning 0.")
    assert both["results"][0]["path"] == "cat.md"


def test_a_page_that_is_too_large_comes_smaller_with_its_total_and_a_cursor(server: Server) -> None:
    names = [f"{'d' * 150}/{number:04d}.txt" for number in range(400)]
    steps = [{"op": "store_text", "arguments": {"content": f"needle {name}\n", "name": name}} for name in names]
    done = server.call("bulk_operations", {"operations": steps})
    assert (done["succeeded"], done["committed"]) == (400, True)
    assert "answer_too_large" not in done
    assert next(iter(done)) == "succeeded"
    for tool, more in (("list_documents", {}), ("search_documents", {"query": "needle", "type": "keyword"})):
        seen, cursor = list[str](), None
        while cursor is not None or not seen:
            page = server.call(tool, {"limit": 1000, **more, **({"cursor": cursor} if cursor else {})})
            assert "answer_too_large" not in page
            assert page["total"] == 400
            seen += [entry["path"] for entry in page.get("documents", page.get("results"))]
            cursor = page.get("next_cursor")
        assert sorted(seen) == names
    assert len(server.call("list_documents", {})["documents"]) == 25
    assert len(server.call("list_documents", {"paths_only": True})["paths"]) == 25


def test_steps_that_failed_are_told_however_many_there_are(server: Server) -> None:
    steps = [{"op": "store_text", "arguments": {"content": "x", "name": f"{'n' * 200}{n}"}} for n in range(900)]
    steps.append({"op": "get_by_name", "arguments": {"name": "nowhere"}})
    done = server.call("bulk_operations", {"operations": steps})
    assert (done["succeeded"], done["failed"]) == (900, 1)
    assert "steps are left out" in done["note"]
    assert done["results"][-1]["step"] == 901
    assert done["results"][-1]["code"] == "document_not_found"
