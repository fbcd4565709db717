"""Which files an import may mean, by the words of the statement."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["LANGUAGES", "family_of", "files_meant", "import_statements"]

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".tsx": "tsx", ".java": "java", ".c": "c", ".h": "c", ".cc": "cpp",
    ".cpp": "cpp", ".hpp": "cpp", ".go": "go", ".rs": "rust", ".rb": "ruby", ".php": "php", ".cs": "csharp",
    ".sh": "bash", ".bash": "bash", ".r": "r",
}  # fmt: skip

_PYTHON = re.compile(r"from\s+([.\w]+)\s+import\s+\(?([^()#]*)|import\s+([\w.,\s]+)")
_QUOTED = re.compile(r"[\"'<]([^\"'<>\n]{1,300})[\"'>]")
_COMMENT = re.compile(r"#[^\n]*")
_DOTTED = re.compile(r"import\s+(static\s+)?([\w.]+)")
_RUST = re.compile(r"(?:use|mod)\s+([\w:{},\s*]{1,2000})")
_SOURCED = re.compile(r"(?:source|\.)\s+[\"']?([\w./-]{1,300})")
_BESIDE = re.compile(r"[)}][\"']?/([\w./-]{1,300})|\$\w+/([\w./-]{1,300})")
_HERE = re.compile(r"__DIR__|dirname\s*\(\s*__FILE__")

_LINES = {
    "python": r"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import[ \t]+(?:\([^()]*\)|[^\n(]*)|import[ \t]+[^\n]+)",
    "javascript": r"^[ \t]*(?:import|export)\b[^\n;]*[\"'][^\"'\n]+[\"']|\brequire\([^()\n]+\)",
    "java": r"^[ \t]*import[ \t]+[^\n;]+",
    "c": r"^[ \t]*#[ \t]*include[^\n]+",
    "rust": r"^[ \t]*(?:pub[ \t]+)?(?:use[ \t]+[^;]{1,2000}|mod[ \t]+\w+)",
    "ruby": r"^[ \t]*require(?:_relative)?[^\n]+",
    "php": r"^[ \t]*(?:require|include)(?:_once)?[^\n;]+",
    "bash": r"^[ \t]*(?:source|\.)[ \t]+[^\n;]+",
    "r": r"\b(?:sys\.)?source\([^\n)]+",
}
_SAME = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _LINES.items()}


def import_statements(text: str, language: str) -> Iterator[str]:
    """The imports of a code, found by their lines; for where no parser is."""
    pattern = _PATTERNS.get(_SAME.get(language, language))
    if pattern is not None:
        yield from (match[0] for match in pattern.finditer(text))


def family_of(language: str) -> str:
    """Languages whose programs call each other's functions by name."""
    return _SAME.get(language, language)


def files_meant(statement: str, language: str) -> Iterator[str]:
    """Paths that the statement may mean, as a link would write them; none in languages that import no files."""
    rule = _RULES.get(_SAME.get(language, language))
    if rule is not None:
        yield from rule(statement.strip())


def _python(statement: str) -> Iterator[str]:
    match = _PYTHON.match(_COMMENT.sub("", statement))
    if match is None:
        return
    if match[3] is not None:
        for module in match[3].split(","):
            yield from _module(module.split(" as ")[0].strip())
        return
    yield from _module(match[1])
    for name in match[2].split(","):
        first = name.split()[0] if name.split() else ""
        if first.isidentifier():
            yield from _module(f"{match[1]}{'' if match[1].endswith('.') else '.'}{first}")


def _module(dotted: str) -> Iterator[str]:
    """`a.b` is a/b.py or a/b/__init__.py; dots before it lead upwards."""
    bare = dotted.lstrip(".")
    up = len(dotted) - len(bare)
    prefix = "./" if up == 1 else "../" * (up - 1)
    path = bare.replace(".", "/")
    if path:
        yield f"{prefix}{path}.py"
    if path or up:
        yield f"{prefix}{path}/__init__.py".replace("//", "/")


def _script(statement: str) -> Iterator[str]:
    for target in _QUOTED.findall(statement)[-1:]:
        if target.startswith("."):
            stem, dot, ending = target.rpartition(".")
            if ending in _COMPILED:
                # What is written is the name that it will have; what is there may be what it is made of.
                yield from (f"{stem}{dot}{each}" for each in (ending, *_COMPILED[ending]))
            elif ending in ("ts", "tsx", "mts", "cts", "json", "vue", "svelte", "css"):
                yield target
            else:
                yield from (target + each for each in _SCRIPTS)


_COMPILED = {"js": ("ts", "tsx", "jsx"), "jsx": ("tsx",), "mjs": ("mts",), "cjs": ("cts",)}
_SCRIPTS = tuple(f"{at}.{kind}" for at in ("", "/index") for kind in ("ts", "tsx", "js", "jsx", "mjs", "cjs"))


def _quoted(ending: str = "") -> Callable[[str], Iterator[str]]:
    def rule(statement: str) -> Iterator[str]:
        for target in _QUOTED.findall(statement)[:1]:
            yield target if not ending or target.endswith(ending) else target + ending

    return rule


def _dotted(ending: str) -> Callable[[str], Iterator[str]]:
    def rule(statement: str) -> Iterator[str]:
        if match := _DOTTED.match(statement):
            name = match[2].strip(".")
            # What is static is in a class, and the file has the name of that.
            yield (name.rpartition(".")[0] if match[1] else name).replace(".", "/") + ending

    return rule


def _rust(statement: str) -> Iterator[str]:
    if match := _RUST.search(statement):
        for name in _spread("".join(match[1].split(" as ")[0].split())):
            steps = [step for step in name.split("::") if step not in ("crate", "self", "super", "*", "")]
            for length in range(len(steps), 0, -1):
                path = "/".join(steps[:length])
                yield f"{path}.rs"
                yield f"{path}/mod.rs"


def _spread(name: str) -> Iterator[str]:
    """`a::{b, c::d}` is a::b and a::c::d."""
    before, brace, after = name.partition("{")
    if not brace:
        yield name
        return
    inner, depth = "", 0
    for char in after:
        if (char == "," and depth == 0) or (char == "}" and depth == 0):
            yield from _spread(before + inner)
            inner = ""
            if char == "}":
                return
        else:
            depth += (char == "{") - (char == "}")
            inner += char


def _included(statement: str) -> Iterator[str]:
    """A file beside the one that is running, or wherever the program looks for it."""
    for target in _QUOTED.findall(statement)[:1]:
        yield f".{target}" if target.startswith("/") and _HERE.search(statement) else target


def _sourced(statement: str) -> Iterator[str]:
    if match := _BESIDE.search(statement):
        yield f"./{match[1]}" if match[1] else match[2]
    elif match := _SOURCED.match(statement):
        yield match[1]


_RULES: dict[str, Callable[[str], Iterator[str]]] = {
    "python": _python,
    "javascript": _script,
    "java": _dotted(".java"),
    "c": _quoted(),
    "ruby": _quoted(".rb"),
    "php": _included,
    "rust": _rust,
    "bash": _sourced,
    "r": _quoted(),
}
