"""The code of `@examples`: what is shown, and what is run (`\\dontrun`, `\\dontshow` and the like applied)."""

from __future__ import annotations

from rolltop.catalog.found import ExampleCode
from rolltop.catalog.rlang.lexer import Token, top_level_tokens
from rolltop.catalog.rlang.roxygen import Block, Tag

__all__ = ["example_code"]

_NOT_RUN = "dontrun"
_NOT_SHOWN = ("dontshow", "testonly")
_BEGIN, _END = "## Not run:", "## End(Not run)"
"""The lines that R's own documentation puts around such code."""
_MACROS = (_NOT_RUN, "donttest", *_NOT_SHOWN, "dontdiff")


def example_code(block: Block) -> ExampleCode:
    """All examples of a block, in order, as one program."""
    parts = [_of_tag(tag) for tag in block.all("examples", "examplesIf")]
    shown = "\n".join(part.shown for part in parts if part.shown)
    return ExampleCode(shown, "\n".join(part.run for part in parts if part.run))


def _of_tag(tag: Tag) -> ExampleCode:
    if tag.name == "examples":
        return _applied(tag.text)
    condition, _, code = tag.text.partition("\n")
    inner = _applied(code)
    run = f"if ({condition.strip() or 'TRUE'}) {{\n{inner.run}\n}}" if inner.run else ""
    return ExampleCode(inner.shown, run)


def _applied(code: str) -> ExampleCode:
    shown: list[str] = []
    run: list[str] = []
    position = 0
    tokens = [token for token in top_level_tokens(code) if token.kind != "newline"]
    for backslash, name, group in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if not _is_macro(backslash, name, group) or backslash.start < position:
            continue
        before, inside = code[position : backslash.start], group.text[1:-1]
        if name.text == _NOT_RUN:
            shown += [_own_line(before), _BEGIN, "\n", inside.strip("\n"), "\n", _END]
            shown += ["" if code[group.end : group.end + 1] in ("", "\n") else "\n"]
        else:
            shown += [before, "" if name.text in _NOT_SHOWN else inside]
        run += [before, "" if name.text == _NOT_RUN else inside]
        position = group.end
    rest = code[position:]
    to_run = _tidy("".join([*run, rest]))
    return ExampleCode(_tidy("".join([*shown, rest])), to_run if _has_code(to_run) else "")


def _own_line(before: str) -> str:
    """The code before a line that has to stand alone."""
    return before if not before.strip() or before.endswith("\n") else f"{before}\n"


def _has_code(text: str) -> bool:
    """Whether there is anything but comments."""
    return any(token.kind not in ("comment", "newline") for token in top_level_tokens(text))


def _is_macro(backslash: Token, name: Token, group: Token) -> bool:
    return backslash.text == "\\" and name.text in _MACROS and group.kind == "group" and group.text[0] == "{"


def _tidy(code: str) -> str:
    """Without blank lines at the ends and blanks at line ends."""
    lines = [line.rstrip() for line in code.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)
