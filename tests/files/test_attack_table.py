"""Path attacks, by class: every target in every spelling through every operation. None gets through.

The table is multiplied out in process; `test_the_table_is_large` counts it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rolltop.catalog import check, diff, mcptool_build, mcptool_list, mcptool_load, mcptool_load_all
from rolltop.errors import Conflict, ConsentMissing, NotFound, PermissionDenied, RolltopError
from rolltop.files import Files
from rolltop.files.obeyed_names import FILES, FOLDERS
from rolltop.guide import Category, Guide, Project
from rolltop.settings import load
from rolltop.workspace import Workspace

CANARY = "canary-31337"
LEAST = 6_000
CASES: Counter[str] = Counter()
"""How many cases each class had."""


class House(NamedTuple):
    """A user's machine: a home, a project to work in, a temporary directory, and what must stay closed."""

    top: Path
    home: Path
    project: Path
    temporary: Path
    outside: Path
    workspace: Workspace

    @property
    def files(self) -> Files:
        return self.workspace.files


def put(path: Path, text: str = CANARY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


PACKAGE = {
    "DESCRIPTION": "Package: orchard\nVersion: 1.0\n",
    "R/pick.R": "#' Pick\n#'\n#' @param n Number.\n#' @keywords mcp-tool\n#' @export\n"
    "mcp_tool_pick <- function(n = 1) n\n",
    "inst/mcp/tools/orchard-mcp_tool_pick.yaml": "name: orchard-mcp_tool_pick\ndescription: Pick.\n"
    "parameters:\n  type: object\n  properties: {}\n  required: []\nimplementation_example: |\n  pick()\n",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    top = tmp_path_factory.mktemp("machine")
    home, project, temporary, outside = (top / name for name in ("home", "project", "temporary", "outside"))
    for folder in (home, project / "sub", temporary, outside):
        folder.mkdir(parents=True)
    for name, text in PACKAGE.items():
        put(project / "orchard" / name, text)
    put(outside / "secret.txt")
    put(project / "conf" / "config.toml", "")
    put(project / "conf" / "notes.txt")
    put(home / "flags" / "config.yaml", "version: 1\n")
    for name in (".ssh/id_rsa", ".bash_history", "my_history", ".netrc", ".aws/credentials", ".config/gh/hosts.yml"):
        put(home / name)
    for name in ("journal.sqlite", "store/catalog.db", "rmd/report.Rmd", "cache/x"):
        put(home / "desk" / name)
    env = {
        "HOME": str(home),
        "ROLLTOP_WORKSPACE": str(home / "desk"),
        "ROLLTOP_CONFIG": str(project / "conf" / "config.toml"),
        "ROLLTOP_ROOTS": f"{project}:{home}:{temporary}",
        "ROLLTOP_GUIDE_CONFIG_DIR": str(home / "flags"),
        "ROLLTOP_CATALOGS": str(project / "orchard"),
        "ROLLTOP_LOG_FILE": str(project / "rolltop.log"),
        "PATH": f"{home / 'tools'}:/usr/bin",
    }
    put(project / "rolltop.log")
    (home / "tools").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        patch.setenv("HOME", str(home))
        patch.setenv("PATH", env["PATH"])
        patch.chdir(project)
        workspace = Workspace(load(env=env))
        workspace.prepare()
        _ = workspace.files
        yield House(top, home, project, temporary, outside, workspace)
        workspace.close()


def closed(house: House) -> list[Path]:
    """Files that no tool may read or write, wherever they lie."""
    home, project = house.home, house.project
    return [
        *(home / "desk" / name for name in ("journal.sqlite", "store/catalog.db", "rmd/report.Rmd", "cache/x", "new")),
        *(project / "conf" / name for name in ("config.toml", "notes.txt", "new.toml")),
        *(home / "flags" / name for name in ("config.yaml", "docs/new.md")),
        *(home / name for name in (".ssh/id_rsa", ".bash_history", "my_history", ".netrc", ".aws/credentials")),
        home / ".config/gh/hosts.yml",
        project / "rolltop.log",
        house.outside / "secret.txt",
        house.outside / "new.txt",
        *map(Path, ("/etc/shadow", "/etc/passwd", "/proc/self/environ", "/dev/zero", "/etc/new")),
    ]


def spellings(house: House, target: Path) -> Iterator[str]:
    """Ways to write a path to `target`, and links that lead to it."""
    text, base = str(target), house.project
    yield text
    yield os.path.relpath(text, base)
    yield f"./{os.path.relpath(text, base)}"
    yield text.replace("/", "//")
    yield text.replace("/", "/./")
    yield f"{base}/sub/..{text[len(str(base)) :]}" if text.startswith(str(base)) else f"{base}/sub/../..{text}"
    yield f"{base}/sub/../../{target.relative_to(house.top)}" if text.startswith(str(house.top)) else f"../../..{text}"
    yield f"{text}/."
    yield f"{target.parent}/{target.name.upper()}"
    yield unicodedata.normalize("NFD", text)
    yield f"/proc/self/root{text}"
    yield f"/proc/self/cwd/{os.path.relpath(text, base)}"
    yield f"~/{os.path.relpath(text, house.home)}"
    yield f"file://{text}"
    yield text.replace("/", "%2f")
    yield text.replace("/", "\\")
    yield f"{text} "
    yield f"{text}\n"
    yield from linked(house, target)


def linked(house: House, target: Path) -> Iterator[str]:
    number = len(os.listdir(house.project / "sub"))
    link = house.project / "sub" / f"link{number}"
    link.symlink_to(target)
    yield str(link)
    folder = house.project / "sub" / f"folder{number}"
    folder.symlink_to(target.parent)
    yield str(folder / target.name)
    chain = house.project / "sub" / f"chain{number}"
    chain.symlink_to(os.path.relpath(link, chain.parent))
    yield str(chain)
    hard = house.project / "sub" / f"hard{number}"
    with contextlib.suppress(OSError):
        if target.is_relative_to(house.top) and target.is_file() and house.outside not in target.parents:
            os.link(target, hard)
            yield str(hard)


def refused(cases: str, attempt: Callable[[], object]) -> None:
    CASES[cases] += 1
    try:
        answer = attempt()
    except RolltopError as error:
        answer = error
    assert isinstance(answer, RolltopError)
    assert not isinstance(answer, ConsentMissing)
    assert CANARY not in f"{answer}{answer.hint}"


def test_closed_files_are_neither_read_nor_written(house: House) -> None:
    files = house.files
    before = {
        target: target.read_bytes() for target in closed(house) if target.is_relative_to(house.top) and target.exists()
    }
    for target in closed(house):
        for path in spellings(house, target):
            is_link = path.startswith(str(house.project / "sub"))
            for read in (files.read_bytes, files.read_text, files.open_read):
                refused("closed, read", lambda path=path, read=read: read(path))
            if "hard" in os.path.basename(path) or (is_link and os.path.islink(path)):
                continue  # a link is replaced, not followed: what it led to stays as it is
            if "%2f" in path or "\\" in path or path.startswith("file:") or path != path.strip():
                continue  # names of other files
            for write in (files.write_bytes, files.write_for_now):
                refused("closed, write", lambda path=path, write=write: write(path, b"bad"))
                refused("closed, overwrite", lambda path=path, write=write: write(path, b"bad", overwrite=True))
            refused("closed, look", lambda path=path: files.target(path))
    assert {target: target.read_bytes() for target in before} == before
    assert not (house.outside / "new.txt").exists()


OBEYED = [
    # what other programs execute or obey, as it was written through the tools once
    ".bashrc", ".profile", ".zshrc", ".bash_profile", ".gitconfig", ".vimrc", ".Rprofile", ".tmux.conf", ".xinitrc",
    ".config/autostart/x.desktop", ".config/systemd/user/x.service", ".config/fish/config.fish", ".git/config",
    ".git/hooks/pre-commit", ".vscode/settings.json", ".vscode/tasks.json", ".claude/settings.json", ".mcp.json",
    ".cursor/mcp.json", ".cursorrules", ".github/workflows/x.yml", ".local/bin/ls", ".pre-commit-config.yaml",
    ".ipython/profile_default/startup/x.py", ".jupyter/jupyter_notebook_config.py", "x.pth", "conftest.py",
    "sitecustomize.py", "CLAUDE.md", "AGENTS.md", "Makefile", "package.json", "hooks/post-checkout",
    "lib/python3.11/site-packages/x.py", "node_modules/x/index.js", ".hidden",
    *(name.replace("*", "x") for name in FILES), *(f"{folder}/x" for folder in FOLDERS),
]  # fmt: skip


def test_names_that_programs_obey_are_never_written(house: House) -> None:
    files = house.files
    exports = house.workspace.settings.exports
    for name in dict.fromkeys(OBEYED):
        for folder in (house.home, house.project, house.temporary, exports):
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            for path in (str(place), f"{place.parent}/./{place.name}", f"{place.parent}//{place.name.upper()}"):
                for write in (files.write_bytes, files.write_for_now):
                    refused("obeyed names", lambda path=path, write=write: write(path, b"bad"))
                    refused("obeyed names", lambda path=path, write=write: write(path, b"bad", overwrite=True))
                refused("obeyed names", lambda path=path: files.target(path))
            assert not place.is_file()
    refused("obeyed names", lambda: files.write_bytes(house.home / "tools" / "ls", b"bad"))


def test_the_owner_can_open_a_name(house: House) -> None:
    env = {"HOME": str(house.home), "ROLLTOP_WORKSPACE": str(house.home / "desk"), "ROLLTOP_ROOTS": str(house.project)}
    settings = load(env={**env, "ROLLTOP_WRITABLE_NAMES": "conftest.py,.github"})
    files = Files.from_settings(settings)
    (house.project / ".github").mkdir(exist_ok=True)
    assert files.target(house.project / "conftest.py").asks
    assert files.target(house.project / ".github" / "x.yml").asks
    with pytest.raises(PermissionDenied) as caught:
        files.target(house.project / ".gitlab-ci.yml")
    assert "writable_names" in str(caught.value.hint)


NAMES = ["out.txt", "Übersicht.md", "a b.csv", "report.html", "x.json", "x.R", "notes.final.docx", "data.parquet"]


def test_a_new_file_is_written_unasked_only_where_that_harms_nobody(house: House) -> None:
    files, exports = house.files, house.workspace.settings.exports
    for name in NAMES:
        for folder in (house.temporary, exports):
            CASES["new files"] += 1
            assert files.write_bytes(folder / name, b"new").read_bytes() == b"new"
        for folder in (house.home, house.project, house.project / "sub"):
            for path in (str(folder / name), f"{folder}/./{name}"):
                CASES["new files"] += 1
                with pytest.raises(ConsentMissing) as caught:
                    files.write_bytes(path, b"bad")
                assert str(folder / name) in str(caught.value)
                target = files.target(path)
                assert (target.place, target.state, target.asks) == (folder / name, None, True)
                assert not (folder / name).exists()


def test_what_was_agreed_to_is_what_is_written(house: House) -> None:
    files, folder = house.files, house.project / "agreed"
    other = folder / "other"
    other.mkdir(parents=True)
    place = folder / "x.txt"
    seen = files.target(place)
    put(place, "came meanwhile")
    with pytest.raises(Conflict):
        files.write_bytes(place, b"bad", expected=seen)
    seen = files.target(place)
    assert seen.state is not None
    assert not seen.asks
    put(folder / "y.txt", "precious").replace(place)
    with pytest.raises(Conflict, match="looked at"):
        files.write_bytes(place, b"bad", expected=seen)
    link = folder / "way"
    link.symlink_to(other)
    seen = files.target(link / "z.txt")
    link.unlink()
    link.symlink_to(house.project / "sub")
    with pytest.raises(Conflict, match="looked at"):
        files.write_bytes(link / "z.txt", b"bad", expected=seen)
    assert place.read_text() == "precious"
    assert files.write_bytes(place, b"good", expected=files.target(place)).read_bytes() == b"good"
    CASES["agreements"] += 4


def test_a_served_catalog_is_closed_to_writing(house: House) -> None:
    files, package = house.files, house.project / "orchard"
    places = [
        "R/evil.R",
        "R/pick.R",
        "inst/mcp/tools/a.yaml",
        "inst/mcp/tools/orchard-mcp_tool_pick.yaml",
        "DESCRIPTION",
    ]
    for name in (*places, "data/x.rda", "new.txt"):
        (package / name).parent.mkdir(exist_ok=True)
        for path in (str(package / name), f"orchard/{name}", f"sub/../orchard/./{name}"):
            for write in (files.write_bytes, files.write_for_now):
                refused("catalogs, write", lambda path=path, write=write: write(path, b"bad"))
                refused("catalogs, write", lambda path=path, write=write: write(path, b"bad", overwrite=True))
            refused("catalogs, write", lambda path=path: files.target(path))
    assert files.read_text(package / "DESCRIPTION").startswith("Package")


SWAPPED = ["R", "R/pick.R", "inst", "inst/mcp/tools", "inst/mcp/tools/orchard-mcp_tool_pick.yaml", "DESCRIPTION"]
OPERATIONS: list[Callable[[Path], object]] = [
    mcptool_list, mcptool_load_all, check, diff, mcptool_build,
    lambda path: mcptool_load(path, "mcp_tool_pick"),
    lambda path: mcptool_load(path / "inst/mcp/tools/orchard-mcp_tool_pick.yaml"),
    lambda path: diff(path / "R/pick.R"),
    lambda path: mcptool_build(path / "R/pick.R"),
]  # fmt: skip


def outcome(operation: Callable[[Path], object], path: Path) -> str:
    try:
        return repr(operation(path))
    except (RolltopError, NotFound) as error:
        return f"{error}{error.hint}{error.details}"


@pytest.mark.parametrize("swapped", SWAPPED)
@pytest.mark.parametrize("by", ["link", "relative link", "device", "pipe"])
def test_a_tree_does_not_lead_the_catalogs_reader_out(house: House, tmp_path: Path, swapped: str, by: str) -> None:
    """The secret looks like the part of the package that it stands for, so a reader that follows would show it."""
    secret = tmp_path / "elsewhere"
    for name, text in PACKAGE.items():
        put(secret / name, text.replace("Pick", CANARY).replace("orchard\n", f"orchard\nTitle: {CANARY}\n"))
    for operation in OPERATIONS:
        tree = tmp_path / f"tree{len(os.listdir(tmp_path))}"
        for name, text in PACKAGE.items():
            if not name.startswith(swapped):
                put(tree / name, text)
        place = tree / swapped
        place.parent.mkdir(parents=True, exist_ok=True)
        if by == "device":
            place.symlink_to("/dev/zero")
        elif by == "pipe":
            os.mkfifo(place)
        else:
            place.symlink_to(secret / swapped if by == "link" else os.path.relpath(secret / swapped, place.parent))
        CASES["catalogs, read"] += 1
        assert CANARY not in outcome(operation, tree)
        assert all(CANARY not in file.read_text() for file in tree.rglob("*.yaml") if not is_outside(file, tree))


def is_outside(file: Path, tree: Path) -> bool:
    return not file.is_file() or not file.resolve().is_relative_to(tree.resolve())


def test_no_document_root_opens_what_is_closed(house: House, tmp_path: Path) -> None:
    put(house.home / "id_rsa")
    put(house.home / "docs" / "fine.md", "fine")
    put(house.home / "docs" / "id_ed25519")
    os.link(house.home / "my_history", house.home / "docs" / "notes.md")
    (house.project / "exit").symlink_to(house.outside)
    roots = ["/", "/etc", "/proc/self", "/root", house.outside, house.home, house.home / ".ssh", house.home / "desk",
             house.home / "desk" / "rmd", house.project / "conf", house.project / "exit", house.home / "docs",
             f"{house.home}/docs/../../outside", house.home / "flags"]  # fmt: skip
    for number, root in enumerate(roots):
        guide = Guide(tmp_path / f"config{number}", files=house.files)
        guide.config.set_docroot(Path(root))
        project = guide.config.change_project(guide.config.project_at(tmp_path), with_categories)
        for expression in ("a", "b", "a/shadow", "a/*", "a/**", "a/secret*", "b/*", "a/notes*"):
            CASES["document roots"] += 1
            with contextlib.suppress(RolltopError):
                content = guide.content(project, expression)
                assert CANARY not in content.text
                assert "root:" not in content.text
    guide.config.set_docroot(house.home / "docs")
    assert guide.content(project, "a/fine*").text.strip() == "fine"


def with_categories(project: Project) -> Project:
    for category in (Category("a", ".", ("*",)), Category("b", "rmd", ("*",))):
        project = project.with_category(category)
    return project


def test_the_table_is_large() -> None:
    """Runs last in this file; alone it has nothing to count."""
    if CASES:
        assert sum(CASES.values()) >= LEAST, CASES
