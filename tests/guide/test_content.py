"""get_content: what is found, in which order, in which form, and what is said about the rest."""

from __future__ import annotations

import email
import email.policy
import os
import random
import shutil
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest

from rolltop.errors import Conflict, LimitExceeded
from rolltop.guide import Category, Collection, Content, Guide, Limits, Project
from rolltop.guide.errors import (
    ArgumentInvalid,
    DocumentUnreadable,
    ExpressionInvalid,
    NameInvalid,
    NameUnknown,
    PathUnsafe,
)


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def names(content: Content) -> list[str]:
    return [document.name for document in content.documents]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("lang/python", ["lang/python.md"]),
        ("lang/python+java+rust", ["lang/python.md", "lang/java.md", "lang/rust.md"]),
        ("lang/python,docs/api,guidelines", ["lang/python.md", "docs/api.md", "guidelines/all.txt"]),
        ("lang/python,docs/api,lang/rust", ["lang/python.md", "docs/api.md", "lang/rust.md"]),
        ("lang", ["lang/java.md", "lang/python-style.md", "lang/python.md", "lang/rust.md"]),
        ("docs", ["docs/api.md", "docs/guide/deep/more.md", "docs/guide/intro.md"]),
        ("docs/**/more", ["docs/guide/deep/more.md"]),
        ("docs/guide/", ["docs/guide/deep/more.md", "docs/guide/intro.md"]),
        ("review", ["docs/api.md", "lang/python.md"]),
        ("review,lang/python,docs/api", ["docs/api.md", "lang/python.md"]),
        ("lang/**/python", ["lang/python.md", "lang/sub/python.md"]),
        ("lang/_hidden+.dot+__init__+python.md.orig", []),
        ("docs/_private/*", []),
        ("lang/PYTHON", []),
    ],
)
def test_what_an_expression_finds(guide: Guide, project: Project, expression: str, found: list[str]) -> None:
    assert names(guide.content(project, expression)) == found


def test_the_two_argument_form_is_the_same(guide: Guide, project: Project) -> None:
    assert guide.content(project, "lang", "python") == guide.content(project, "lang/python")


def test_one_document_is_its_text(guide: Guide, project: Project) -> None:
    assert guide.content(project, "lang/python").text == "python rules\n"


def test_the_manifest_says_where_each_document_came_from(guide: Guide, project: Project) -> None:
    (document,) = guide.content(project, "lang/python").documents
    assert (document.category, document.path, document.size, document.pattern) == ("lang", "python.md", 13, "python")


def test_nothing_found_is_empty_and_says_what_matched_nothing(guide: Guide, project: Project) -> None:
    content = guide.content(project, "lang/cobol+python,docs/nope")
    assert content.unmatched == ("lang/cobol", "docs/nope")
    assert names(content) == ["lang/python.md"]
    assert guide.content(project, "lang/cobol").text == ""


def test_a_missing_directory_is_a_warning(guide: Guide, project: Project) -> None:
    guide.config.change_project(project, lambda p: p.with_category(Category("gone", "gone", ("*",))))
    content = guide.content(project, "gone,lang/python")
    assert names(content) == ["lang/python.md"]
    assert "gone/" in content.warnings[0]
    assert content.unmatched == ("gone/*",)


def test_a_category_without_patterns_gives_nothing_by_itself(guide: Guide, project: Project) -> None:
    guide.config.change_project(project, lambda p: p.with_category(Category("bare", "lang")))
    assert names(guide.content(project, "bare")) == []
    assert guide.content(project, "bare").unmatched == ("bare",)
    assert names(guide.content(project, "bare/python")) == ["bare/python.md"]


def test_an_unknown_name_offers_the_nearest(guide: Guide, project: Project) -> None:
    with pytest.raises(NameUnknown, match="'lnag'") as caught:
        guide.content(project, "lnag/python")
    assert caught.value.hint == "Did you mean lang?"


def test_an_unknown_member_names_its_collection(guide: Guide, project: Project) -> None:
    path = guide.config.file.path
    path.write_text(path.read_text().replace("lang/python", "lnag/python"))
    with pytest.raises(NameUnknown, match="collection review"):
        guide.content(project, "review")


def test_the_same_collection_twice_gives_both_patterns(guide: Guide, project: Project) -> None:
    guide.config.change_project(project, lambda p: p.with_collection(Collection("all", ("lang", "docs"))))
    content = guide.content(project, "all/rust,all/api")
    assert names(content) == ["lang/rust.md", "docs/api.md"]


def test_a_pattern_on_a_collection_spares_members_that_have_one(guide: Guide, project: Project) -> None:
    guide.config.change_project(project, lambda p: p.with_collection(Collection("mix", ("lang/java", "docs"))))
    assert names(guide.content(project, "mix/api")) == ["lang/java.md", "docs/api.md"]


def test_nested_and_circular_collections_end(guide: Guide, project: Project) -> None:
    def circle(p: Project) -> Project:
        p = p.with_collection(Collection("a", ("lang/python", "a")))
        p = p.with_collection(Collection("b", ("a", "docs/api")))
        return p.with_collection(Collection("a", ("lang/python", "b")))

    guide.config.change_project(project, circle)
    assert names(guide.content(project, "a")) == ["lang/python.md", "docs/api.md"]
    assert names(guide.content(project, "b")) == ["lang/python.md", "docs/api.md"]


def test_collections_that_multiply_are_stopped(guide: Guide, project: Project) -> None:
    def tower(p: Project) -> Project:
        below = "lang/python"
        for level in range(20):
            p = p.with_collection(Collection(f"c{level}", (below, below)))
            below = f"c{level}"
        return p

    guide.config.change_project(project, tower)
    with pytest.raises(LimitExceeded):
        guide.content(project, "c19")


def test_names_that_lead_to_nothing_are_counted_too(guide: Guide, project: Project) -> None:
    def nested(current: Project) -> Project:
        current = current.with_category(Category("empty", "empty", ()))
        current = current.with_collection(Collection("c0", ("empty",)))
        for depth in range(1, 31):
            current = current.with_collection(Collection(f"c{depth}", (f"c{depth - 1}", f"c{depth - 1}")))
        return current

    project = guide.config.change_project(project, nested)
    assert names(guide.content(project, "c8,lang/python")) == ["lang/python.md"]
    with pytest.raises(LimitExceeded, match="10000 names"):
        guide.content(project, "c30")


def test_collections_may_lie_inside_one_another_a_hundred_deep(guide: Guide, project: Project) -> None:
    def chain(current: Project) -> Project:
        current = current.with_collection(Collection("d0", ("lang/python",)))
        for depth in range(1, 1200):
            current = current.with_collection(Collection(f"d{depth}", (f"d{depth - 1}",)))
        return current

    project = guide.config.change_project(project, chain)
    assert names(guide.content(project, "d99")) == ["lang/python.md"]
    with pytest.raises(LimitExceeded, match="inside one another"):
        guide.content(project, "d1199")


@pytest.mark.parametrize("member", ["lang/../x", "lang//", "lang//etc/passwd"])
def test_a_collection_has_no_member_that_nothing_can_match(guide: Guide, project: Project, member: str) -> None:
    with pytest.raises((ExpressionInvalid, PathUnsafe)):
        project.with_collection(Collection("never", (member,)))


def test_bytes_do_not_depend_on_the_order_of_directories(tmp_path: Path, files: dict[str, str]) -> None:
    texts = []
    for seed in (1, 2):
        guide = Guide(tmp_path / str(seed))
        items = list(files.items())
        random.Random(seed).shuffle(items)
        put(guide.config.docroot(), dict(items))
        project = guide.config.change_project(
            Project.at(tmp_path), lambda p: p.with_category(Category("all", ".", ("**/*.md", "*")))
        )
        texts.append(guide.content(project, "all").text)
    assert texts[0] == texts[1]
    assert "java rules" in texts[0]


def test_more_than_the_limit_is_reported_and_can_be_continued(guide: Guide, project: Project) -> None:
    put(guide.config.docroot(), {f"many/{n:03}.md": f"{n}\n" for n in range(130)})
    guide.config.change_project(project, lambda p: p.with_category(Category("many", "many", ("*",))))
    first = guide.content(project, "many")
    assert (len(first.documents), first.truncated, first.omitted, first.next_offset) == (100, True, 30, 100)
    second = guide.content(project, "many", offset=100)
    assert (len(second.documents), second.truncated, second.next_offset) == (30, False, None)
    assert set(names(first)) | set(names(second)) == {f"many/{n:03}.md" for n in range(130)}


def test_bytes_are_limited_too(guide: Guide, project: Project) -> None:
    put(guide.config.docroot(), {f"big/{n}.md": "x" * 600 for n in range(3)})
    guide.config.change_project(project, lambda p: p.with_category(Category("big", "big", ("*",))))
    content = guide.content(project, "big", limits=Limits(bytes=1000))
    assert (len(content.documents), content.omitted, content.next_offset) == (1, 2, 1)
    with pytest.raises(DocumentUnreadable, match="larger"):
        guide.content(project, "big", limits=Limits(largest=100))


def test_depth_is_limited_and_reported(guide: Guide, project: Project) -> None:
    put(
        guide.config.docroot(),
        {"/".join(["docs", *"12345678", "in.md"]): "", "/".join(["docs", *"123456789", "out.md"]): ""},
    )
    content = guide.content(project, "docs/**/in+**/out")
    assert names(content) == ["docs/1/2/3/4/5/6/7/8/in.md"]
    assert content.truncated


def test_looking_at_too_many_files_is_reported(guide: Guide, project: Project) -> None:
    content = guide.content(project, "docs", limits=Limits(entries=2))
    assert content.truncated
    assert "too many" in content.warnings[0]


def test_links_inside_count_once_and_links_outside_are_left_out(guide: Guide, project: Project, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    root = guide.config.docroot()
    (root / "lang/a-link.md").symlink_to(root / "lang/python.md")
    (root / "lang/outside.md").symlink_to(tmp_path / "secret.md")
    (root / "lang/dangling.md").symlink_to(root / "nowhere")
    (root / "docs/up").symlink_to(root / "docs")
    content = guide.content(project, "lang/*")
    assert [n for n in names(content) if "link" in n or "python.md" in n] == ["lang/a-link.md"]
    assert "secret" not in content.text
    assert "outside.md" in content.warnings[0]
    assert names(guide.content(project, "docs")) == ["docs/api.md", "docs/guide/deep/more.md", "docs/guide/intro.md"]


def test_a_category_directory_that_leads_out_is_refused(guide: Guide, project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (guide.config.docroot() / "exit").symlink_to(tmp_path / "elsewhere")
    guide.config.change_project(project, lambda p: p.with_category(Category("exit", "exit", ("*",))))
    with pytest.raises(PathUnsafe):
        guide.content(project, "exit")


def test_swapping_a_directory_for_a_link_never_leads_out(guide: Guide, project: Project, tmp_path: Path) -> None:
    """A directory that turns into a link between finding and reading: the reading fails, it does not follow."""
    put(tmp_path, {"outside/x.md": "SECRET", "outside2/x.md": "fine"})
    root = guide.config.docroot()
    put(root, {"race/d/x.md": "fine"})
    guide.config.change_project(project, lambda p: p.with_category(Category("race", "race", ("**/*.md",))))
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(root / "race/d", root / "race/_away")
            os.symlink(tmp_path / "outside", root / "race/d")
            os.unlink(root / "race/d")
            os.rename(root / "race/_away", root / "race/d")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(300):
            try:
                assert "SECRET" not in guide.content(project, "race").text
            except DocumentUnreadable:
                continue
    finally:
        stop.set()
        swapper.join()


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\xff\xfe", b"nul\0inside", "latin-1 ü".encode("latin-1")])
def test_what_is_not_text_is_named(guide: Guide, project: Project, data: bytes) -> None:
    (guide.config.docroot() / "lang/picture.md").write_bytes(data)
    content = guide.content(project, "lang/picture+python")
    assert names(content) == ["lang/python.md"]
    assert "lang/picture.md" in content.unreadable[0]
    with pytest.raises(DocumentUnreadable) as caught:
        guide.content(project, "lang/picture")
    assert caught.value.error_type == "file_read_error"


def test_line_ends_stay_and_a_byte_order_mark_goes(guide: Guide, project: Project) -> None:
    (guide.config.docroot() / "lang/win.md").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert guide.content(project, "lang/win").text == "a\r\nb\r\n"


def test_a_file_name_that_nobody_can_print_is_left_out(guide: Guide, project: Project) -> None:
    (guide.config.docroot() / "lang/bad\nname.md").write_text("x")
    os.close(os.open(os.fsencode(guide.config.docroot()) + b"/lang/\xff.md", os.O_CREAT))
    content = guide.content(project, "lang/*")
    assert len(content.documents) == 4
    assert "unprintable" in content.warnings[0]


def test_a_pipe_does_not_block(guide: Guide, project: Project) -> None:
    os.mkfifo(guide.config.docroot() / "lang/pipe.md")
    assert names(guide.content(project, "lang/pipe")) == []


def test_front_matter_is_left_out_unless_a_flag_keeps_it(guide: Guide, project: Project) -> None:
    text = "---\ntitle: T\n---\nbody\n"
    put(guide.config.docroot(), {"lang/front.md": text})
    assert guide.content(project, "lang/front").text == "body\n"
    guide.project_flags(project).set("content-front-matter", True)
    assert guide.content(project, "lang/front").text == text


def test_formats(guide: Guide, project: Project) -> None:
    assert guide.content(project, "lang/java+rust", how="none").text == "java rules\nrust rules\n"
    plain = "=== lang/java.md ===\njava rules\n\n=== lang/rust.md ===\nrust rules\n"
    assert guide.content(project, "lang/java+rust").text == plain
    guide.feature_flags().set("content-format", "none")
    assert "===" not in guide.content(project, "lang/java+rust").text
    with pytest.raises(ArgumentInvalid):
        guide.content(project, "lang", how="xml")


def test_mime_is_read_back_by_an_independent_parser(guide: Guide, project: Project) -> None:
    put(guide.config.docroot(), {"lang/ü ü.md": "--odd\n"})
    guide.project_flags(project).set("content-format", "mime")
    message = email.message_from_string(guide.content(project, "lang/java+rust+ü ü").text, policy=email.policy.default)
    parts = [(part["Content-Location"], part.get_content_type(), part.get_payload()) for part in message.iter_parts()]
    assert parts == [
        ("guide://lang/java.md", "text/markdown", "java rules\n"),
        ("guide://lang/rust.md", "text/markdown", "rust rules\n"),
        ("guide://lang/%C3%BC%20%C3%BC.md", "text/markdown", "--odd\n"),
    ]


@pytest.mark.parametrize(
    "name", ["a,b.md", "x.c++", "what?.md", "[1].md", "a*b.md", "back\\slash.md", " blank .md", "ä b.md"]
)
def test_where_a_part_of_mime_came_from_can_be_asked_for(guide: Guide, project: Project, name: str) -> None:
    put(guide.config.docroot(), {f"guidelines/{name}": "this one\n", "guidelines/acb.md": "other\n"})
    text = guide.content(project, "guidelines/*", how="mime").text
    message = email.message_from_string(text, policy=email.policy.default)
    where = {part.get_payload(): part["Content-Location"] for part in message.iter_parts()}
    asked = where["this one\n"]
    assert names(guide.content(project, unquote(asked.removeprefix("guide://")))) == [f"guidelines/{name}"]


def test_excluded_patterns_are_never_given_out(guide: Guide, project: Project) -> None:
    guide.feature_flags().set("content-exclude", ["python*", "guide/**"])
    assert names(guide.content(project, "lang,docs")) == ["lang/java.md", "lang/rust.md", "docs/api.md"]


def test_what_is_excluded_by_hand_is_excluded_in_either_form(guide: Guide, project: Project) -> None:
    path = guide.config.file.path
    path.write_text(path.read_text() + "feature_flags: {content-exclude: java+rust}\n")
    assert names(guide.content(project, "lang")) == ["lang/python-style.md", "lang/python.md"]


@pytest.mark.parametrize(
    ("category", "error"),
    [
        (Category("x", "../up"), PathUnsafe),
        (Category("x", "/etc"), PathUnsafe),
        (Category("x", "a/../../b"), PathUnsafe),
        (Category("x", ""), PathUnsafe),
        (Category("x", "_private"), PathUnsafe),
        (Category("x", "a", ("../b",)), PathUnsafe),
        (Category("x", "a", ("b/",)), ArgumentInvalid),
        (Category("no dots.", "a"), NameInvalid),
        (Category("_x", "a"), NameInvalid),
        (Category("x" * 31, "a"), NameInvalid),
        (Category("review", "a"), Conflict),
    ],
)
def test_what_a_category_may_not_be(guide: Guide, project: Project, category: Category, error: type[Exception]) -> None:
    with pytest.raises(error):
        guide.config.change_project(project, lambda p: p.with_category(category))


@pytest.mark.parametrize(
    ("collection", "error"),
    [
        (Collection("lang", ("docs",)), Conflict),
        (Collection("x", ()), ArgumentInvalid),
        (Collection("x", ("nope",)), NameUnknown),
        (Collection("x", ("a/b/,/",)), ExpressionInvalid),
    ],
)
def test_what_a_collection_may_not_be(
    guide: Guide, project: Project, collection: Collection, error: type[Exception]
) -> None:
    with pytest.raises(error):
        guide.config.change_project(project, lambda p: p.with_collection(collection))


def test_removing_a_category_removes_it_from_collections(guide: Guide, project: Project) -> None:
    guide.config.change_project(project, lambda p: p.with_collection(Collection("both", ("docs,lang/python", "lang"))))
    after = guide.config.change_project(project, lambda p: p.without_category("lang"))
    assert after.collections["both"].members == ("docs",)
    assert after.collections["review"].members == ("docs/api",)
    assert names(guide.content(project, "review")) == ["docs/api.md"]


def test_a_removed_document_root_is_made_again(guide: Guide, project: Project) -> None:
    shutil.rmtree(guide.config.docroot())
    assert guide.content(project, "lang").text == ""
