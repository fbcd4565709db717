"""Quarto documents (`.qmd`) as R Markdown, line by line, so that errors point where the author wrote.

knitr reads `#|` options itself. What is rewritten: `format` and `execute` of the front matter, callouts, and cross
references with the numbers of figures, tables and equations. What is not supported is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.errors import InvalidData
from rolltop.reports.source.frontmatter import metadata, split

__all__ = ["as_rmd", "is_quarto"]

_OUTPUTS = {
    "html": "html_document",
    "pdf": "pdf_document",
    "docx": "word_document",
    "pptx": "powerpoint_presentation",
    "beamer": "beamer_presentation",
}
_OPTIONS = {"toc", "toc-depth", "number-sections", "fig-width", "fig-height", "code-fold"}
_PLAIN = {
    "title", "subtitle", "author", "date", "abstract", "keywords", "lang", "params", "bibliography", "csl",
    "references", "nocite", "link-citations", "description",
}  # fmt: skip
_EXECUTE = {"echo", "eval", "warning", "message", "error", "include"}
_FENCE = re.compile(r"^[\t >]*(`{3,}|~{3,})")
_CALLOUT = re.compile(r"""^(:{3,})\s*\{\s*\.callout-(note|tip|warning|important|caution)\b([^}]*)\}\s*$""")
_TITLE = re.compile(r"""title=(?:"([^"]*)"|'([^']*)')""")
_COLOURS = {"note": "#0a58ca", "tip": "#0b6b3a", "warning": "#b06a00", "important": "#b3261e", "caution": "#b06a00"}
_LABEL = re.compile(r"""^\s*#\|\s*label:\s*["']?((?:fig|tbl)-[\w-]+)["']?\s*$""")
_CAPTION = re.compile(r"""^(\s*#\|\s*)(fig|tbl)-cap:\s*["']?(.*?)["']?\s*$""")
_KABLE = re.compile(r"\b(?:kable|kbl)\((?!.*\bcaption\s*=)")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(([^)\n]*)\)\{#(fig-[\w-]+)([^}\n]*)\}")
_TABLE = re.compile(r"^(:\s+)(.*?)\s*\{#(tbl-[\w-]+)[^}]*\}\s*$")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*\{#(sec-[\w-]+)[^}]*\}\s*$")
_EQUATION = re.compile(r"\$\$\s*\{#(eq-[\w-]+)[^}]*\}")
_REFERENCE = re.compile(r"(?<![\w@\\])@((?:fig|tbl|sec|eq)-[\w-]*\w)")
_WORDS = {"fig": "Figure", "tbl": "Table", "eq": "Equation"}
_LACKS = (
    (re.compile(r"\{\{<\s*(\w+)"), "the shortcode {}"),
    (re.compile(r"^\s*`{3,}\s*\{(julia|ojs|mermaid|dot)\b"), "{} cells"),
    (
        re.compile(r"\{[^}\n]*\.(column-\w+|panel-\w+|aside|content-\w+)"),
        "the class {}",
    ),
)


def is_quarto(name: str) -> bool:
    return name.endswith(".qmd")


def as_rmd(text: str) -> tuple[str, list[str]]:
    """The document as R Markdown with as many lines, and what of it is not supported."""
    head, lacks = _front_matter(text)
    count = text.count("\n", 0, len(text) - len(split(text)[1]))
    lines = split(text)[1].split("\n")
    numbers = _numbers(lines)
    body = _body(lines, numbers)
    for line in lines:
        lacks += [what.format(found[1]) for pattern, what in _LACKS if (found := pattern.search(line))]
    head += [""] * (count - len(head))
    return "\n".join([*head, *body]), [f"Quarto: {each} is not supported here" for each in dict.fromkeys(lacks)]


def _front_matter(text: str) -> tuple[list[str], list[str]]:
    try:
        fields = metadata(text)
    except InvalidData:
        return text[: len(text) - len(split(text)[1])].split("\n")[:-1], []
    if not fields:
        return [], []
    execute = fields.get("execute") if isinstance(fields.get("execute"), Mapping) else {}
    assert isinstance(execute, Mapping)
    output, lacks = _output(fields.get("format", fields.get("output", "html")), fields)
    lacks += [f"execute: {key}" for key in execute if key not in _EXECUTE]
    known = _PLAIN | _OPTIONS | {"format", "execute", "output", "engine", "jupyter", "editor", "knitr"}
    lacks += [f"{key} in the front matter" for key in fields if key not in known]
    kept = {key: value for key, value in fields.items() if key in _PLAIN} | {"output": output}
    lines = [
        "---",
        *(f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in kept.items()),
        "---",
    ]
    options = ", ".join(f"{key} = {_as_r(value)}" for key, value in execute.items() if key in _EXECUTE)
    return [*lines, *([f"`r {{knitr::opts_chunk$set({options}); ''}}`"] if options else [])], lacks


def _output(given: Any, fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    formats = given if isinstance(given, Mapping) else {str(given): None}
    common = {key: fields[key] for key in _OPTIONS if key in fields}
    output: dict[str, Any] = {}
    lacks = []
    for name, options in formats.items():
        target = str(name) if name in _OUTPUTS.values() else _OUTPUTS.get(str(name))
        if target is None:
            lacks.append(f"the format {name}")
            continue
        said = common | (dict(options) if isinstance(options, Mapping) else {})
        lacks += [f"{key} of {name}" for key in said if key not in _OPTIONS]
        taken = {key: value for key, value in said.items() if key in _OPTIONS and (target, key) not in _ONLY_HTML}
        output[target] = {_r_option(key): _r_value(key, value) for key, value in taken.items()} or "default"
    return output or {"html_document": "default"}, lacks


_ONLY_HTML = {(target, "code-fold") for target in _OUTPUTS.values() if target != "html_document"} | {
    ("powerpoint_presentation", "number-sections")
}


def _r_option(key: str) -> str:
    return "code_folding" if key == "code-fold" else key.replace("-", "_")


def _r_value(key: str, value: Any) -> Any:
    return ("hide" if value is True else "show") if key == "code-fold" else value


def _as_r(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else json.dumps(value)


def _numbers(lines: list[str]) -> dict[str, str]:
    """How each label is referred to: figures, tables and equations by number, sections by title."""
    found: dict[str, str] = {}
    counts = dict.fromkeys(_WORDS, 0)
    for line in lines:
        if heading := _HEADING.match(line):
            found[heading[2]] = heading[1]
        labels = [match[1] for match in _LABEL.finditer(line)] + [match[3] for match in _IMAGE.finditer(line)]
        labels += [match[3] for match in _TABLE.finditer(line)] + [match[1] for match in _EQUATION.finditer(line)]
        for label in labels:
            if label not in found:
                kind = label.partition("-")[0]
                counts[kind] += 1
                found[label] = f"{_WORDS[kind]} {counts[kind]}"
    return found


def _body(lines: list[str], numbers: Mapping[str, str]) -> list[str]:
    body: list[str] = []
    cell = _Cell("")
    title = ""
    for line in lines:
        mark = _FENCE.match(line)
        if cell.fence:
            body.append(cell.rewritten(line, numbers))
            if mark and mark[1].startswith(cell.fence) and line.strip() == mark[1]:
                cell = _Cell("")
        elif mark:
            cell = _Cell(mark[1])
            body.append(line)
        elif callout := _CALLOUT.match(line):
            kind, given = callout[2], _TITLE.search(callout[3])
            title = (given[1] or given[2] or "") if given else kind.capitalize()
            style = f"border-left:4px solid {_COLOURS[kind]};padding:.1em 1em;margin:1em 0"
            body.append(f'{callout[1]} {{.callout .callout-{kind} style="{style}"}}')
        else:
            body.append(_titled(_referred(line, numbers), title))
            title = ""
    return body


def _titled(line: str, title: str) -> str:
    """The first line of a callout with its title; a heading there is the title."""
    if not title:
        return line
    heading = re.match(r"^#{1,6}\s+(.*)$", line)
    return f"**{heading[1]}**" if heading else f"**{title}.** {line}".rstrip()


@dataclass(slots=True)
class _Cell:
    """A block of code: its fence, its label, and a caption that its table is yet to get."""

    fence: str
    label: str = ""
    caption: str = ""

    def rewritten(self, line: str, numbers: Mapping[str, str]) -> str:
        if label := _LABEL.match(line):
            self.label = label[1]
        if (found := _CAPTION.match(line)) and self.label:
            caption = json.dumps(f"{numbers[self.label]}: {found[3]}", ensure_ascii=False)
            if found[2] == "fig":
                return f"{found[1]}fig-cap: {caption}"
            self.caption = caption  # kable takes no caption from the options of a chunk
        elif self.caption and (call := _KABLE.search(line)):
            line = f"{line[: call.end()]}caption = {self.caption}, {line[call.end() :]}"
            self.caption = ""
        return line


def _referred(line: str, numbers: Mapping[str, str]) -> str:
    line = _IMAGE.sub(lambda m: f"![{numbers[m[3]]}: {m[1]}]({m[2]}){{#{m[3]}{m[4]}}}", line)
    line = _TABLE.sub(lambda m: f"{m[1]}{numbers[m[3]]}: {m[2]}", line)
    line = _EQUATION.sub(lambda m: rf"$$ ({numbers[m[1]].split()[-1]})", line)
    return _REFERENCE.sub(lambda m: numbers.get(m[1], m[0]), line)
