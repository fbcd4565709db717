"""The configuration file: what survives, what is refused, who may write at once."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conditions import wait_until
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.guide import Category, Guide, Project
from rolltop.guide.arrange import add_category, change_category, remove_category
from rolltop.guide.errors import ConfigUnreadable, ConfigUnwritable

COMMENTED = """\
# What the team agreed on.
version: 1
docroot: ~/guide-docs   # shared with the editor
feature_flags: {content-format: plain}
custom:                 # nothing to do with us
  - 1
  - two
projects:
  app-00000000:
    name: app
    path: /src/app
    owner: "somebody"   # unknown key
    project_flags:
      # keep this off
      workflow: false
    categories:
      lang: {dir: lang/, patterns: [python], colour: red}
"""


def write(guide: Guide, text: str) -> Path:
    guide.config.file.path.parent.mkdir(parents=True, exist_ok=True)
    guide.config.file.path.write_text(text, "utf-8")
    return guide.config.file.path


def test_a_change_touches_its_own_key_only(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    path = write(guide, COMMENTED)
    app = guide.config.project_named("app")
    guide.project_flags(app).set("fresh", "x")
    expected = COMMENTED.replace("      workflow: false\n", "      workflow: false\n      fresh: x\n")
    assert [line.split() for line in path.read_text().splitlines()] == [line.split() for line in expected.splitlines()]
    guide.config.change_project(app, lambda p: p.with_category(Category("lang", "other")))
    assert "colour: red" in path.read_text()


def test_removing_a_flag_gives_the_file_back(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    path = write(guide, COMMENTED)
    guide.feature_flags().set("f")
    once = path.read_text()
    guide.feature_flags().set("g")
    guide.feature_flags().set("g", None)
    assert path.read_text() == once


def test_setting_what_is_set_does_not_write(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    guide.feature_flags().set("f", "x")
    before = guide.config.file.path.stat()
    guide.feature_flags().set("f", "x")
    after = guide.config.file.path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "version: 1\n", "feature_flags:\nprojects:\n"])
def test_an_empty_file_means_defaults(tmp_path: Path, text: str) -> None:
    guide = Guide(tmp_path)
    write(guide, text)
    assert guide.feature_flags().list() == {}
    assert guide.config.projects() == []
    assert guide.feature_flags().set("f") is True
    assert guide.feature_flags().list() == {"f": True}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("version: 1\nfeature_flags: [\n", 3),
        ("version: 1\na: b: c\n", 2),
        ("- list\n", 1),
        ("just text\n", 1),
        ("version: 2\n", 1),
        ("\n\nversion: true\n", 3),
        ("feature_flags:\n  ok: true\n  bad: 3\n", 3),
        ("feature_flags:\n  a.b: true\n", 2),
        ("feature_flags: 5\n", 1),
        ("feature_flags:\n  content-format: xml\n", 2),
        ("feature_flags:\n  content-exclude: [../x]\n", 2),
        ("feature_flags: {other: [a]}\n", 1),
        ("a: &a [*a]\nfeature_flags: *a\n", 2),
        ("a: 1\na: 2\n", 2),
        ("x: !!python/object:os.system {}\nfeature_flags: x", 2),
        ("feature_flags: " + "[" * 3000 + "]" * 3000, 1),
    ],
)
def test_a_broken_file_is_reported_with_its_line_and_never_overwritten(tmp_path: Path, text: str, line: int) -> None:
    guide = Guide(tmp_path)
    path = write(guide, text)
    for call in (guide.feature_flags().list, lambda: guide.feature_flags().set("f")):
        with pytest.raises(ConfigUnreadable) as caught:
            call()
        assert caught.value.error_type == "config_read_error"
        assert caught.value.position is not None
        assert caught.value.position.line == line
    assert path.read_text() == text


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    write(guide, "")
    guide.config.file.path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigUnreadable):
        guide.feature_flags().list()


def test_one_broken_project_does_not_hinder_the_others(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    write(guide, "projects:\n  good-1: {name: good, path: /g}\n  bad-1: {name: bad, path: /b, categories: 7}\n")
    assert guide.config.project_named("good-1").name == "good"
    with pytest.raises(ConfigUnreadable, match="categories"):
        guide.config.project_named("bad-1")


def test_a_reader_sees_what_another_process_wrote(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    assert guide.feature_flags().list() == {}
    run(f"Guide(Path({str(tmp_path)!r})).feature_flags().set('f', 'theirs')")
    assert guide.feature_flags().get("f") == "theirs"


def test_the_file_is_private_and_keeps_its_mode(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    guide.feature_flags().set("f")
    assert stat.S_IMODE(guide.config.file.path.stat().st_mode) == 0o600
    guide.config.file.path.chmod(0o640)
    guide.feature_flags().set("g")
    assert stat.S_IMODE(guide.config.file.path.stat().st_mode) == 0o640


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles/guide.yaml").write_text("version: 1\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").symlink_to(tmp_path / "dotfiles/guide.yaml")
    Guide(tmp_path / "config").feature_flags().set("f")
    assert (tmp_path / "config/config.yaml").is_symlink()
    assert "f: true" in (tmp_path / "dotfiles/guide.yaml").read_text()


def test_ten_parallel_sets_in_one_process_all_persist(tmp_path: Path, project: Project, guide: Guide) -> None:
    async def work() -> None:
        session = guide.session(project)
        await asyncio.gather(
            *(session.project_flags().set(f"p{n}", f"v{n}") for n in range(10)),
            *(session.feature_flags().set(f"g{n}", f"v{n}") for n in range(10)),
        )

    asyncio.run(work())
    fresh = Guide(guide.config.directory)
    assert fresh.project_flags(project).list() == {f"p{n}": f"v{n}" for n in range(10)}
    assert fresh.feature_flags().list() == {f"g{n}": f"v{n}" for n in range(10)}


def test_ten_parallel_sets_in_two_processes_all_persist(tmp_path: Path) -> None:
    code = f"""
from concurrent.futures import ThreadPoolExecutor
flags = Guide(Path({str(tmp_path)!r})).feature_flags()
flags.list()
print('ready', flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(10) as pool:
    list(pool.map(lambda n: flags.set(f'{{sys.argv[1]}}-{{n}}', 'x'), range(10)))
"""
    workers = [start(code, name) for name in "ab"]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        worker.communicate()
        assert worker.returncode == 0
    assert len(Guide(tmp_path).feature_flags().list()) == 20


def test_two_processes_that_add_projects_do_not_lose_any(tmp_path: Path) -> None:
    code = f"""
guide = Guide(Path({str(tmp_path)!r}))
for n in range(8):
    guide.project_flags(Project.at(Path(f'/src/{{sys.argv[1]}}{{n}}'))).set('f', sys.argv[1])
"""
    workers = [start(code, name) for name in "ab"]
    for worker in workers:
        worker.communicate()
        assert worker.returncode == 0
    assert len(Guide(tmp_path).config.projects()) == 16


def kill_while_writing(directory: Path, writes: int) -> None:
    code = f"""
flags = Guide(Path({str(directory)!r})).feature_flags()
flags.set('n', '0')
print('ready', flush=True)
n = 0
while True:
    n += 1
    flags.set('n', str(n) * 50)
    print(n, flush=True)
"""
    worker = start(code, "x")
    assert worker.stdout.readline() == "ready\n"
    for _ in range(writes):
        worker.stdout.readline()
    worker.send_signal(signal.SIGKILL)
    worker.communicate()


def check_after_kill(directory: Path) -> None:
    flags = Guide(directory).feature_flags()
    value = flags.get("n")
    assert isinstance(value, str)
    assert value == "0" or value == value[: len(value) // 50] * 50
    flags.set("after", "fine")
    assert Guide(directory).feature_flags().list().keys() == {"n", "after"}
    assert list(directory.glob(".config.yaml.*.tmp")) == []


@pytest.mark.parametrize("writes", [0, 1, 2, 5])
def test_a_killed_writer_harms_nobody(tmp_path: Path, writes: int) -> None:
    kill_while_writing(tmp_path, writes)
    check_after_kill(tmp_path)


@pytest.mark.soak
def test_many_killed_writers_harm_nobody(tmp_path: Path) -> None:
    for n in range(200):
        directory = tmp_path / str(n)
        directory.mkdir()
        kill_while_writing(directory, n % 50)
        check_after_kill(directory)


def test_a_lock_that_is_held_for_long_is_an_error_and_not_a_wait_for_ever(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    guide.config.file.deadline = 0.3
    holder = start(
        f"""
from rolltop.guide.lock import exclusive
with exclusive(Path({str(tmp_path / "config.yaml.lock")!r})):
    print('held', flush=True)
    sys.stdin.readline()
""",
        "x",
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(ConfigUnwritable) as caught:
        guide.feature_flags().set("f")
    assert caught.value.error_type == "config_write_error"
    assert guide.feature_flags().list() == {}  # reading needs no lock
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert guide.feature_flags().set("f") is True


def test_many_changes_at_once_are_all_kept_by_several_processes(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    write(guide, COMMENTED + "".join(f"# a line of many, number {n}\n" for n in range(300)))
    app = guide.config.project_named("app")
    other = start(
        f"""
from rolltop.guide import Guide
from concurrent.futures import ThreadPoolExecutor
guide = Guide(Path({str(tmp_path)!r}))
flags = guide.project_flags(guide.config.project_named("app"))
print('ready', flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(40) as pool:
    list(pool.map(lambda n: flags.set(f"theirs-{{n}}", "x"), range(40)))
""",
        "x",
    )
    assert other.stdout.readline() == "ready\n"
    other.stdin.write("go\n")
    other.stdin.flush()
    with ThreadPoolExecutor(40) as pool:
        list(pool.map(lambda n: guide.project_flags(app).set(f"ours-{n}", "x"), range(40)))
    other.communicate(timeout=60)
    assert other.returncode == 0
    flags = Guide(tmp_path).project_flags(app).list()
    assert {name for name in flags if "-" in name} == {
        f"{whose}-{n}" for whose in ("ours", "theirs") for n in range(40)
    }
    assert "# keep this off" in guide.config.file.path.read_text()


def test_a_change_that_fails_half_way_leaves_nothing_with_those_beside_it(tmp_path: Path) -> None:
    file = Guide(tmp_path).config.file
    file.change(lambda document: (document.update(a=1), True))
    inside, go = threading.Event(), threading.Event()

    def slow(document: dict[str, object]) -> tuple[str, bool]:
        inside.set()
        assert go.wait(120)
        document["slow"] = 1
        return "slow", True

    def half(document: dict[str, object]) -> tuple[str, bool]:
        document["half"] = 1
        raise RuntimeError("half-way")

    def good(document: dict[str, object]) -> tuple[str, bool]:
        document["good"] = document["a"]
        return "good", True

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(file.change, slow)
        assert inside.wait(120)
        before, failing, after = (
            pool.submit(file.change, good),
            pool.submit(file.change, half),
            pool.submit(file.change, lambda document: (document.get("half"), False)),
        )
        wait_until(lambda: len(file._changes._waiting) == 3)  # behind the first
        go.set()
        assert (first.result(120), before.result(120), after.result(120)) == ("slow", "good", None)
        with pytest.raises(RuntimeError, match="half-way"):
            failing.result(120)
    assert set(file.read()) == {"version", "a", "slow", "good"}


def test_a_failed_edit_releases_the_lock_and_changes_nothing(guide: Guide, project: Project) -> None:
    before = guide.config.file.path.read_bytes()

    def fail(p: Project) -> Project:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        guide.config.change_project(project, fail)
    assert guide.config.file.path.read_bytes() == before
    assert guide.feature_flags().set("f") is True


def test_a_full_disk_leaves_the_file_as_it_was(guide: Guide, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = guide.config.file.path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigUnwritable, match="No space"):
        guide.feature_flags().set("f")
    assert guide.config.file.path.read_bytes() == before
    assert list(guide.config.directory.glob(".*.tmp")) == []


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    guide.feature_flags().set("n", "x" * 50)
    stop = threading.Event()

    def read() -> int:
        mine, count = Guide(tmp_path), 0
        while not stop.is_set():
            value = mine.feature_flags().get("n")
            assert isinstance(value, str)
            assert len(value) == 50
            count += 1
        return count

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for n in range(40):
            guide.feature_flags().set("n", chr(97 + n % 26) * 50)
        stop.set()
        assert all(reader.result() > 0 for reader in readers)


NAMES = st.from_regex(r"\A[\w-]{1,20}\Z")
VALUES = st.one_of(st.booleans(), st.text(max_size=30))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(NAMES, st.none() | VALUES), max_size=8))
def test_the_file_behaves_like_a_dictionary(steps: list[tuple[str, bool | str | None]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        guide, expected = Guide(Path(name)), {}
        for key, value in steps:
            stored = guide.feature_flags().set(key, value)
            expected[key] = stored
            if value is None:
                del expected[key]
            assert Guide(Path(name)).feature_flags().list() == dict(sorted(expected.items()))


PRELUDE = "import sys\nfrom pathlib import Path\nfrom rolltop.guide import Guide, Project\n"


def start(code: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + code, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", PRELUDE + code], check=True)


SHARED = """\
x: &cats
  lang: {dir: lang/, patterns: ['*.md']}
projects:
  one-11111111: {name: one, path: /one, categories: *cats}
  two-22222222: {name: two, path: /two, categories: *cats}
"""


def test_what_projects_share_by_an_anchor_is_changed_in_one_of_them_only(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    (tmp_path / "config.yaml").write_text(SHARED)
    one = guide.config.project_named("one")
    add_category(guide.config, one, Category("docs", "docs", ("*",)))
    change_category(guide.config, one, "lang", patterns=["*.txt"])
    one, two = guide.config.project_named("one"), guide.config.project_named("two")
    assert sorted(one.categories) == ["docs", "lang"]
    assert one.categories["lang"].patterns == ("*.txt",)
    assert sorted(two.categories) == ["lang"]
    assert two.categories["lang"].patterns == ("*.md",)
    assert "&cats" in (tmp_path / "config.yaml").read_text()


def test_a_category_and_a_collection_of_one_name_are_refused_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "projects:\n  one-11111111:\n    categories: {lang: {dir: lang}}\n"
        "    collections:\n      lang: {categories: [lang]}\n"
    )
    with pytest.raises(ConfigUnreadable, match="of a category and of a collection") as caught:
        Guide(tmp_path).config.project_named("one")
    assert caught.value.position is not None
    assert caught.value.position.line == 5


NUMBERED = """\
version: 1
feature_flags: {2024: true, other: text}
projects:
  99:
    name: app
    path: /src/app
    project_flags: {7: true}
    categories:
      2024: {patterns: ['*.md']}  # the year
    collections:
      1: {categories: ['2024']}
"""


def test_a_name_that_yaml_reads_as_a_number_is_a_name(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    path = write(guide, NUMBERED)
    app = guide.config.project_at(Path("/src/app"))
    assert (app.key, app.name) == ("99", "app")
    assert guide.feature_flags().list() == {"2024": True, "other": "text"}
    guide.feature_flags().set("2024", False)
    guide.project_flags(app).remove("7")
    change_category(guide.config, app, "2024", description="dates")
    assert path.read_text() == NUMBERED.replace("2024: true", "2024: false").replace("{7: true}", "{}").replace(
        "{patterns: ['*.md']}  #", "{patterns: ['*.md'], dir: 2024/, description: dates} #"
    )
    assert remove_category(guide.config, app, "2024") == ["1"]
    guide.feature_flags().remove("2024")
    guide.config.remove_project("99")
    assert path.read_text() == "version: 1\nfeature_flags: {other: text}\nprojects: {}\n"


@pytest.mark.parametrize("entry", ["true: x", "0x1f: x", "~: x", "1.5: x", "[a, b]: x", "7: x\n  '7': y"])
def test_a_key_that_is_no_name_is_refused_with_its_line(tmp_path: Path, entry: str) -> None:
    guide = Guide(tmp_path)
    write(guide, f"version: 1\nfeature_flags:\n  {entry}\n")
    with pytest.raises(ConfigUnreadable) as caught:
        guide.feature_flags().list()
    assert caught.value.position is not None
    assert caught.value.position.line in (3, 4)


def test_a_value_that_a_flag_cannot_have_is_said_with_what_it_may_be(tmp_path: Path) -> None:
    guide = Guide(tmp_path)
    write(guide, "version: 1\nfeature_flags: {retries: 3}\n")
    with pytest.raises(ConfigUnreadable) as caught:
        guide.feature_flags().list()
    assert caught.value.hint is not None
    assert "true, false or a text" in caught.value.hint
