"""Reading, listing, walking and writing through the opener."""

import os
from pathlib import Path

import pytest

from rolltop.errors import Conflict, InvalidInput, NotFound, PermissionDenied, RolltopError, SizeLimit
from rolltop.files import Files
from rolltop.settings import Settings, load


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    (place / "out").mkdir(parents=True)
    (place / "a.txt").write_text("eins")
    (tmp_path / "beyond").mkdir()
    return place


@pytest.fixture
def files(root: Path) -> Files:
    return Files([root], writable=[root / "out"], homes=[], base=root)


def test_a_file_is_read_and_looked_at(files: Files, root: Path) -> None:
    assert files.read_bytes("a.txt") == b"eins"
    with files.open_read("a.txt") as file:
        assert file.read(2) == b"ei"
    info = files.stat("a.txt")
    assert (info.path, info.kind, info.size) == (root / "a.txt", "file", 4)


def test_a_byte_order_mark_is_dropped_and_binary_is_no_text(files: Files, root: Path) -> None:
    (root / "bom").write_bytes(b"\xef\xbb\xbfx")
    (root / "binary").write_bytes(b"ok\xff")
    assert files.read_text("bom") == "x"
    with pytest.raises(InvalidInput, match="byte 2"):
        files.read_text("binary")


def test_a_missing_file_is_missing(files: Files) -> None:
    with pytest.raises(NotFound, match=r"nope\.txt"):
        files.read_bytes("nope.txt")


def test_the_error_names_the_allowed_roots(files: Files, root: Path) -> None:
    with pytest.raises(PermissionDenied, match=str(root)):
        files.read_bytes("/etc/hostname")


def test_what_exists_outside_cannot_be_found_out(files: Files, tmp_path: Path) -> None:
    messages = set()
    for path in (tmp_path / "beyond", tmp_path / "not-there", tmp_path / "beyond" / "x"):
        with pytest.raises(PermissionDenied) as caught:
            files.stat(path)
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_listing_shows_what_may_be_opened(files: Files, root: Path) -> None:
    (root / ".ssh").mkdir()
    (root / "link").symlink_to("/etc")
    assert [(info.path.name, info.kind) for info in files.list(".")] == [("a.txt", "file"), ("out", "directory")]


def test_walking_stops_at_its_limit(files: Files, root: Path) -> None:
    for number in range(30):
        (root / "out" / str(number)).touch()
    assert len(list(files.walk("."))) == 31
    with pytest.raises(SizeLimit):
        list(files.walk(".", most=10))


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(files: Files, root: Path) -> None:
    with pytest.raises(SizeLimit):
        files.read_bytes("a.txt", largest=3)


def test_a_new_file_is_written_whole(files: Files, root: Path) -> None:
    assert files.write_bytes("out/new", b"data") == root / "out" / "new"
    assert (root / "out" / "new").read_bytes() == b"data"
    assert os.listdir(root / "out") == ["new"]


def test_overwriting_has_to_be_asked_for(files: Files, root: Path) -> None:
    files.write_bytes("out/x", b"1")
    with pytest.raises(Conflict):
        files.write_bytes("out/x", b"2")
    assert (root / "out" / "x").read_bytes() == b"1"
    files.write_bytes("out/x", b"2", overwrite=True)
    assert (root / "out" / "x").read_bytes() == b"2"


@pytest.mark.parametrize(
    "path",
    ["x", "out/../x", "../beyond/x", "/etc/x", "out", "out/", "out/.", "out/..", "out/.env", "out/.ssh/x", "out/no/x"],
)
def test_writing_elsewhere_is_refused(files: Files, root: Path, path: str) -> None:
    before = sorted(os.walk(root.parent))
    with pytest.raises(RolltopError):
        files.write_bytes(path, b"bad", overwrite=True)
    assert sorted(os.walk(root.parent)) == before


def test_a_link_is_replaced_and_not_written_through(files: Files, root: Path, tmp_path: Path) -> None:
    target = tmp_path / "beyond" / "target"
    target.write_text("safe")
    (root / "out" / "link").symlink_to(target)
    (root / "out" / "way-out").symlink_to(tmp_path / "beyond")
    with pytest.raises(Conflict):
        files.write_bytes("out/link", b"bad")
    files.write_bytes("out/link", b"new", overwrite=True)
    with pytest.raises(PermissionDenied):
        files.write_bytes("out/way-out/x", b"bad")
    assert target.read_text() == "safe"
    assert not (root / "out" / "link").is_symlink()


def test_settings_close_the_workspace_and_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "store.db").write_text("own")
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "ok.txt").write_text("ok")
    env = {"ROLLTOP_WORKSPACE": str(tmp_path / "ws"), "ROLLTOP_ROOTS": str(tmp_path)}
    files = Files.from_settings(load(env=env, config=tmp_path / "config.toml"))
    assert files.read_text(tmp_path / "ok.txt") == "ok"
    for name in ("ws/store.db", "config.toml"):
        with pytest.raises(PermissionDenied, match="own data"):
            files.read_bytes(tmp_path / name)


def test_the_top_of_the_file_system_is_no_default_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    files = Files.from_settings(Settings(workspace=tmp_path / "ws", config=tmp_path / "c"))
    assert Path("/") not in files.roots
    with pytest.raises(PermissionDenied):
        files.read_bytes("/etc/hostname")


def test_a_large_closed_place_hides_no_other(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolltop.files.denied._MOST", 50)
    home, own = tmp_path / "home", tmp_path / "own"
    for place, count in ((home / ".ssh", 1), (home / ".mozilla", 60), (own, 60)):
        place.mkdir(parents=True)
        for number in range(count):
            (place / f"file{number}").write_text("secret")
    os.link(home / ".ssh" / "file0", root / "innocent.txt")
    with pytest.raises(PermissionDenied, match="another name"):
        Files([root], homes=[home], own=[own], base=root).read_bytes("innocent.txt")
