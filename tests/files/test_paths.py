"""Path cases against the opener: none of them gets outside, none of them crashes anything."""

import contextlib
import os
import socket
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.errors import InvalidInput, NotFound, PermissionDenied, RolltopError, SizeLimit
from rolltop.files import Files, descriptors
from rolltop.files.denied import ANYWHERE, EXCEPTIONS, IN_HOME, SYSTEM

CANARY = "canary-90210"


@pytest.fixture(params=["openat2", "step by step"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every case is opened by the kernel's own resolver, and by ours for kernels that have none."""
    if request.param == "step by step":
        monkeypatch.setattr(descriptors, "_has_openat2", lambda: False)
    return str(request.param)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A root with things in it, and beside it what must never be read."""
    root = tmp_path / "root"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("inside")
    (root / "sub" / "b.txt").write_text("inside")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(CANARY)
    twin = tmp_path / "root_evil"
    twin.mkdir()
    (twin / "secret.txt").write_text(CANARY)
    own = root / "workspace"
    own.mkdir()
    (own / "store.db").write_text(CANARY)
    return tmp_path


@pytest.fixture
def files(house: Path, way: str) -> Files:
    home = house / "root" / "home"
    home.mkdir()
    return Files([house / "root"], own=[house / "root" / "workspace"], homes=[home], base=house / "root")


def refused(files: Files, path: str) -> None:
    for attempt in (files.read_bytes, files.read_text, files.open_read, files.stat, files.list, files.resolve):
        with pytest.raises(RolltopError) as caught:
            attempt(path)
        assert CANARY not in str(caught.value) + str(caught.value.hint)
        assert isinstance(caught.value, (PermissionDenied, NotFound, InvalidInput))


# What is allowed


@pytest.mark.parametrize(
    "path",
    [
        "a.txt",
        "./a.txt",
        "sub/../a.txt",
        "sub/b.txt",
        "sub//b.txt",
        ".//sub/./b.txt",
        "sub/deep/../b.txt",
        "sub/deep/../../a.txt",
    ],
)
def test_a_file_inside_is_read(files: Files, path: str) -> None:
    assert files.read_text(path) == "inside"
    assert files.read_text(str(files.base / path)) == "inside"


def test_a_link_to_a_place_inside_is_followed(files: Files, house: Path) -> None:
    (house / "root" / "link").symlink_to("sub/b.txt")
    (house / "root" / "absolute").symlink_to(house / "root" / "a.txt")
    (house / "root" / "directory").symlink_to("sub")
    assert {files.read_text(name) for name in ("link", "absolute", "directory/b.txt")} == {"inside"}
    assert files.resolve("link") == house / "root" / "sub" / "b.txt"


def test_a_link_from_one_root_to_another_is_followed(house: Path, way: str) -> None:
    (house / "root" / "across").symlink_to(house / "outside" / "secret.txt")
    assert Files([house / "root", house / "outside"], homes=[]).read_text(house / "root" / "across") == CANARY


def test_a_root_that_is_a_link_is_a_root(house: Path, way: str) -> None:
    (house / "alias").symlink_to(house / "root")
    files = Files([house / "alias"], homes=[])
    assert files.read_text(house / "alias" / "a.txt") == "inside"
    assert files.read_text(house / "root" / "a.txt") == "inside"


def test_names_in_other_scripts_are_read(files: Files, house: Path) -> None:
    for name in (
        "übergrößen.txt",
        unicodedata.normalize("NFD", "é.txt"),
        "日本.txt",
        "a b.txt",
        "-rf",
        "a\nb",
        "%2e%2e",
    ):
        (house / "root" / name).write_text("inside")
        assert files.read_text(name) == "inside"


# Outside by name

OUTSIDE = (
    "outside/secret.txt",
    "root_evil/secret.txt",
    "root_evil",
    "outside",
    "root/../outside/secret.txt",
    "root/sub/../../outside/secret.txt",
    "./outside/./secret.txt",
    "root/../root_evil/secret.txt",
)
CLIMBS = (
    "../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "sub/deep/../../../outside/secret.txt",
    ".././outside/secret.txt",
    "..//outside//secret.txt",
    "../root_evil/secret.txt",
    "../outside",
    "..",
    "../..",
    "sub/../..",
    "./..",
    "../root/../outside/secret.txt",
    "workspace/../../outside/secret.txt",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_an_absolute_path_outside_is_refused(files: Files, house: Path, path: str) -> None:
    refused(files, f"{house}/{path}")


@pytest.mark.parametrize("path", CLIMBS)
def test_climbing_out_is_refused(files: Files, path: str) -> None:
    refused(files, path)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 8, 13, 21, 55, 200])
@pytest.mark.parametrize("target", ["etc/passwd", "etc/shadow", "root/.bashrc", "proc/self/environ"])
def test_climbing_to_the_top_is_refused(files: Files, depth: int, target: str) -> None:
    refused(files, "../" * depth + target)


@pytest.mark.parametrize(
    "place",
    [
        "/",
        "/etc/passwd",
        "/etc",
        "/root",
        "/proc",
        "/dev",
        "/sys",
        "/var",
        "/usr/bin/env",
        "//etc/passwd",
        "///etc///passwd",
        "/./etc/passwd",
        "/etc/../etc/passwd",
    ],
)
def test_the_machine_is_refused(files: Files, place: str) -> None:
    refused(files, place)


# Texts that mean something elsewhere

ELSEWHERE = (
    "%2e%2e/outside/secret.txt",
    "%2e%2e%2foutside%2fsecret.txt",
    "..%2foutside/secret.txt",
    "..%5coutside%5csecret.txt",
    "%252e%252e/outside/secret.txt",
    "..%c0%afoutside/secret.txt",
    "..\\outside\\secret.txt",
    "sub\\..\\..\\outside\\secret.txt",
    "\\\\?\\C:\\outside\\secret.txt",
    "\\\\server\\share\\x",
    "//server/share/x",
    "C:\\Windows\\x",
    "C:/Windows/x",
    "C:x",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "http://127.0.0.1/x",
    "a.txt::$DATA",
    "a.txt:stream",
    "CON",
    "NUL",
    "PRN",
    "AUX",
    "COM1",
    "LPT1",
    "a.txt.",
    "a.txt ",
    " a.txt",
    "....//outside/secret.txt",
    "..././outside/secret.txt",
    "\uff0e\uff0e/outside/secret.txt",
    "..\uff0foutside\uff0fsecret.txt",
    "\u2025/outside/secret.txt",
    "~root/.bashrc",
    "~nobody/x",
    "$HOME/.bashrc",
    "${HOME}/x",
    "`id`",
    "$(id)",
    "a.txt;id",
    "a.txt|id",
    "a.txt&",
    "*",
    "?.txt",
    "[a].txt",
    "{a,b}.txt",
    "A.TXT",
    "SUB/B.TXT",
    "-",
    "--help",
    "\u202etxt.a",
    "a\u200b.txt",
    "\ufeffa.txt",
    "a.txt\r",
    "a.txt\n",
    "\ta.txt",
)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_texts_of_other_systems_are_only_names(files: Files, path: str) -> None:
    refused(files, path)


def test_a_slash_after_a_file_makes_it_no_other_file(files: Files) -> None:
    for path in ("a.txt/x", "a.txt/x/..", "a.txt/workspace/store.db", "a.txt/../../outside/secret.txt"):
        with pytest.raises(RolltopError):
            files.read_bytes(path)


@pytest.mark.parametrize(
    "path", ["", "\0", "a.txt\0", "\0a.txt", "a\0/../../outside/secret.txt", "\ud800", "a\udfff.txt"]
)
def test_texts_that_are_no_path_are_refused(files: Files, path: str) -> None:
    for attempt in (files.read_bytes, files.stat, files.list):
        with pytest.raises((InvalidInput, NotFound)):
            attempt(path)


@pytest.mark.parametrize("path", [b"a.txt", None, 3, ["a.txt"], 3.5])
def test_what_is_not_a_text_is_refused(files: Files, path: object) -> None:
    with pytest.raises((InvalidInput, TypeError)):
        files.read_bytes(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [256, 300, 4095, 4096, 5000, 100_000])
def test_long_names_are_refused(files: Files, length: int) -> None:
    for path in (
        "x" * length,
        "ü" * (length // 2),
        "sub/" + "x" * length,
        "a/" * (length // 2) + "../" * (length // 2),
    ):
        with pytest.raises(RolltopError):
            files.read_bytes(path)


# Links

LINKS = (
    "../outside/secret.txt",
    "../outside",
    "../root_evil",
    "/etc/passwd",
    "/",
    "/proc/self/environ",
    "/proc/self/root",
    "/proc/self/cwd/../outside/secret.txt",
    "/dev/zero",
    "/dev/stdin",
    "workspace/store.db",
    "workspace",
    "home/../../outside",
)


@pytest.mark.parametrize("target", LINKS)
def test_a_link_to_a_closed_place_is_refused(files: Files, house: Path, target: str) -> None:
    (house / "root" / "link").symlink_to(target)
    refused(files, "link")
    refused(files, "./link")
    refused(files, "sub/../link")


@pytest.mark.parametrize("target", ["../outside", "/", "/etc", "../root_evil", "workspace"])
@pytest.mark.parametrize("rest", ["secret.txt", "passwd", "etc/passwd", "store.db", "../outside/secret.txt", "."])
def test_a_directory_link_does_not_lead_out(files: Files, house: Path, target: str, rest: str) -> None:
    (house / "root" / "link").symlink_to(target)
    refused(files, f"link/{rest}")
    refused(files, f"sub/../link/{rest}")


def test_a_chain_of_links_does_not_lead_out(files: Files, house: Path) -> None:
    last = "../outside/secret.txt"
    for number in range(20):
        (house / "root" / f"link{number}").symlink_to(last)
        last = f"link{number}"
        refused(files, last)


def test_links_in_a_circle_end(files: Files, house: Path) -> None:
    (house / "root" / "one").symlink_to("two")
    (house / "root" / "two").symlink_to("one")
    (house / "root" / "self").symlink_to("self")
    (house / "root" / "sub" / "up").symlink_to("..")
    for path in ("one", "two", "self", "one/x", "self/self/self"):
        refused(files, path)
    assert files.read_text("sub/up/sub/up/a.txt") == "inside"
    assert {info.path.name for info in files.walk(".")} == {"a.txt", "b.txt"}


# Kinds of files


def test_pipes_sockets_and_devices_are_never_opened(files: Files, house: Path) -> None:
    os.mkfifo(house / "root" / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(house / "root" / "socket"))
    for name in ("pipe", "socket"):
        for attempt in (files.read_bytes, files.open_read):
            with pytest.raises(PermissionDenied, match="device, pipe or socket"):
                attempt(name)
    if os.geteuid() == 0:
        os.mknod(house / "root" / "zero", 0o20666, os.makedev(1, 5))
        with pytest.raises(PermissionDenied, match="device, pipe or socket"):
            files.read_bytes("zero")


@pytest.mark.parametrize(
    "place",
    [
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/proc/1/cmdline",
        "/dev/null",
        "/dev/fd/0",
        "/sys/kernel/notes",
        "/proc/self/cwd/a.txt",
        "/etc/shadow",
        "/run/x",
        "/proc/kcore",
    ],
)
def test_places_of_the_kernel_stay_closed_even_when_the_root_is_everything(way: str, place: str) -> None:
    refused(Files(["/"], homes=[]), place)


def test_a_directory_is_not_read_and_a_file_is_not_listed(files: Files) -> None:
    with pytest.raises(InvalidInput, match="directory"):
        files.read_bytes("sub")
    with pytest.raises(InvalidInput, match="not a directory"):
        files.list("a.txt")


# The table of what is closed


def _example(pattern: str) -> str:
    return pattern.replace("*", "x")


@pytest.mark.parametrize("pattern", ANYWHERE)
def test_closed_names_are_closed_everywhere(files: Files, house: Path, pattern: str) -> None:
    name = _example(pattern)
    (house / "root" / "sub" / name).mkdir()
    (house / "root" / "sub" / name / "file").write_text(CANARY)
    for path in (f"sub/{name}", f"sub/{name}/file", f"sub/deep/../{name}/file"):
        refused(files, path)
    assert name not in {info.path.name for info in files.list("sub")}


@pytest.mark.parametrize("pattern", [".ssh", ".env", ".env.*", "id_rsa", ".netrc", ".bash_history", "*.kdbx"])
def test_closed_names_are_closed_in_any_case_and_form(files: Files, house: Path, pattern: str) -> None:
    for name in {_example(pattern).upper(), _example(pattern).title(), _example(pattern).swapcase()}:
        (house / "root" / name).write_text(CANARY)
        refused(files, name)


@pytest.mark.parametrize("place", IN_HOME)
def test_closed_places_of_a_home_are_closed(files: Files, house: Path, place: str) -> None:
    target = house / "root" / "home" / place
    target.mkdir(parents=True)
    (target / "file").write_text(CANARY)
    refused(files, f"home/{place}/file")
    refused(files, f"home/{place}")
    (house / "root" / "way-in").symlink_to(target)
    refused(files, "way-in/file")


@pytest.mark.parametrize("place", SYSTEM)
def test_closed_places_of_the_machine_are_in_the_table(place: str) -> None:
    files = Files(["/"], homes=[])
    assert files.denied.why(Path(place)) is not None
    assert files.denied.why(Path(place, "below", "it")) is not None


@pytest.mark.parametrize(
    "name", [*EXCEPTIONS, "environment.txt", "history.md", "ssh.md", "id_rsa.pub", "env", "notes.env.md"]
)
def test_names_that_only_look_like_closed_ones_are_open(files: Files, house: Path, name: str) -> None:
    (house / "root" / name).write_text("inside")
    assert files.read_text(name) == "inside"


@pytest.mark.parametrize(
    "name", ["workspace", "workspace/store.db", "workspace/new", "sub/../workspace/store.db", "WORKSPACE/x"]
)
def test_our_own_data_is_closed(files: Files, name: str) -> None:
    refused(files, name)


def test_another_name_of_a_closed_file_is_closed(files: Files, house: Path) -> None:
    (house / "root" / "home" / ".ssh").mkdir()
    (house / "root" / "home" / ".ssh" / "id").write_text(CANARY)
    os.link(house / "root" / "home" / ".ssh" / "id", house / "root" / "innocent.txt")
    os.link(house / "root" / "workspace" / "store.db", house / "root" / "sub" / "innocent.txt")
    os.link(house / "root" / "a.txt", house / "root" / "second-name.txt")
    for name in ("innocent.txt", "sub/innocent.txt"):
        with pytest.raises(PermissionDenied, match="another name"):
            files.read_bytes(name)
    assert files.read_text("second-name.txt") == "inside"


# Anything at all


PIECES = (
    "..",
    ".",
    "sub",
    "deep",
    "a.txt",
    "link",
    "out",
    "",
    "x",
    "workspace",
    "~",
    "\0",
    "etc",
    "outside",
    "secret.txt",
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12), st.booleans())
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str], absolute: bool) -> None:
    base = tmp_path_factory.getbasetemp() / "any"
    root = base / "root"
    if not base.exists():
        (root / "sub" / "deep").mkdir(parents=True)
        (root / "a.txt").write_text("inside")
        (root / "link").symlink_to("..")
        (root / "sub" / "out").symlink_to(base / "outside")
        (base / "outside").mkdir()
        (base / "outside" / "secret.txt").write_text(CANARY)
    path = ("/" if absolute else "") + "/".join(parts)
    with contextlib.suppress(RolltopError):
        assert Files([root], homes=[], base=root).read_text(path) == "inside"


def test_a_file_over_the_limit_is_refused(files: Files, house: Path) -> None:
    (house / "root" / "large").write_bytes(bytes(1001))
    with pytest.raises(SizeLimit):
        files.read_bytes("large", largest=1000)
    assert len(files.read_bytes("large", largest=1001)) == 1001
