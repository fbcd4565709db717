"""What a path means: a package of R or Python, a folder, a file, an OpenAPI document; and where its definitions go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rolltop.catalog.rlang.package import read_description
from rolltop.catalog.tree_files import is_inside
from rolltop.errors import InvalidInput, NotFound, PermissionDenied

__all__ = ["TOOLS_DIRECTORY", "SourceTree", "source_tree"]

TOOLS_DIRECTORY = Path("inst", "mcp", "tools")
_R_SUFFIXES = (".R", ".r", ".S", ".s", ".q")
_DOCUMENTS = (".json", ".yaml", ".yml")
_SKIPPED = frozenset({"__pycache__", "tests", "test", "build", "dist", "node_modules", "site-packages", "inst", "renv"})


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The sources under one root. `r_files` and `py_files` are those whose tools are wanted."""

    root: Path
    package: str
    r_files: tuple[Path, ...] = ()
    py_files: tuple[Path, ...] = ()
    r_context: tuple[Path, ...] = ()
    is_r_package: bool = False
    markdown: bool = True
    openapi_files: tuple[Path, ...] = ()

    @property
    def tools_directory(self) -> Path:
        return self.root / TOOLS_DIRECTORY

    @property
    def files(self) -> tuple[Path, ...]:
        return (*self.r_files, *self.py_files, *self.openapi_files)


def source_tree(path: str | Path) -> SourceTree:
    """The sources at `path`, which may be a package's root, any folder, or one R or Python file."""
    place = Path(path).expanduser().absolute()
    if not place.exists():
        raise NotFound(f"there is nothing at {path}", hint="Give an R or Python package, a folder or a file.")
    if not place.is_file() and not place.is_dir():
        raise InvalidInput(f"{path} is neither a file nor a directory", hint="Give a package, a folder or a file.")
    tree = _of_file(place) if place.is_file() else _of_folder(place)
    if not tree.files:
        raise NotFound(
            f"{path} holds no R or Python sources and no openapi.yaml", hint="An R package keeps them in its folder R/."
        )
    return tree


def _of_file(file: Path) -> SourceTree:
    root = file.parent.parent if file.parent.name == "R" else file.parent
    if not is_inside(file, root):
        raise PermissionDenied(f"{file} is a link that leads out of {root}", hint="Give the file that it leads to.")
    if file.suffix in _R_SUFFIXES:
        root = file.parent.parent
        if file.parent.name == "R" and (root / "DESCRIPTION").is_file():
            package = _r_package(root)
            return SourceTree(root, package.package, (file,), (), package.r_files, True, package.markdown)
        return SourceTree(file.parent, _package_name(file.stem), (file,), (), (file,))
    if file.suffix == ".py":
        return SourceTree(file.parent, _package_name(file.stem), (), (file,))
    if file.suffix in _DOCUMENTS:
        name = _package_name(file.parent.name if file.stem.lower() == "openapi" else file.stem)
        return SourceTree(file.parent, name, openapi_files=(file,))
    raise InvalidInput(
        f"{file.name} is neither an R nor a Python source nor an OpenAPI document",
        hint="Give a file that ends in .R, .py, .json or .yaml.",
    )


def _of_folder(folder: Path) -> SourceTree:
    if (folder / "DESCRIPTION").is_file():
        return _r_package(folder)
    python = tuple(_python_files(folder, folder))
    r_folder = folder / "R" if (folder / "R").is_dir() else folder
    r_files = tuple(_r_files(r_folder, folder))
    package = _python_package(folder) or _package_name(folder.name)
    documents = (folder / f"openapi{suffix}" for suffix in _DOCUMENTS)
    openapi = tuple(file for file in documents if _is_own_file(file, folder))[:1]
    return SourceTree(folder, package, r_files, python, r_files, openapi_files=openapi)


def _r_package(root: Path) -> SourceTree:
    fields = read_description(root / "DESCRIPTION")
    name = _package_name(fields.get("Package") or root.name)
    files = tuple(_collated(root / "R", fields.get("Collate", "")))
    # roxygen2 reads markdown only where the package asks for it.
    markdown = bool(re.search(r"markdown\s*=\s*T", fields.get("Roxygen", "")))
    return SourceTree(root, name, files, (), files, True, markdown)


def _collated(folder: Path, collate: str) -> Iterator[Path]:
    """The package's files in the order in which R would load them."""
    present = {file.name: file for file in _r_files(folder, folder.parent)}
    for quoted, plain in re.findall(r"'([^']+)'|([^\s']+)", collate):
        if file := present.pop(quoted or plain, None):
            yield file
    yield from present.values()


def _r_files(folder: Path, root: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    files = (file for file in folder.iterdir() if file.suffix in _R_SUFFIXES and _is_own_file(file, root))
    return sorted(files, key=_c_order)


def _is_own_file(file: Path, root: Path) -> bool:
    """True for a file that lies in the tree; what a link, also one of its directories, leads to elsewhere does not."""
    return file.is_file() and is_inside(file, root)


def _c_order(path: Path) -> bytes:
    """R collates file names as in the C locale, whatever the user's is."""
    return path.name.encode("utf-8", "surrogateescape")


def _python_files(folder: Path, root: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir(), key=_c_order):
        if entry.is_dir() and not entry.is_symlink():
            if entry.name not in _SKIPPED and not entry.name.startswith("."):
                yield from _python_files(entry, root)
        elif entry.suffix == ".py" and _is_own_file(entry, root):
            yield entry


def _python_package(folder: Path) -> str | None:
    """The import name: the folder itself, or the one package below it (also below `src/`)."""
    if (folder / "__init__.py").is_file():
        return folder.name
    for base in (folder / "src", folder):
        inside = [entry for entry in base.iterdir() if (entry / "__init__.py").is_file()] if base.is_dir() else []
        inside = [entry for entry in inside if entry.name not in _SKIPPED]
        if len(inside) == 1:
            return inside[0].name
    return None


def _package_name(stem: str) -> str:
    """A package's, folder's or file's name as the first part of tool names, where a hyphen would end it."""
    return re.sub(r"[^A-Za-z0-9._]+", "", stem).strip("._") or "tools"
