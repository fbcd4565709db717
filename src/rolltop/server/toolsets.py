"""Find, load and lint tool sets, and keep tools that come from data up to date. A set that fails affects no other."""

from __future__ import annotations

import difflib
import inspect
import logging
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from mcp_core import InvalidArguments, LiveTools, Need, Prompt, Registry, ToolSet, ToolSpec
from mcp_core.description import SECTIONS, describe
from mcp_core.log import one_line
from mcp_core.toolset import SECTIONS as PROMPT_SECTIONS
from mcp_core.toolset import declared_prompts, resolve
from mcp_core.validation import check_arguments
from rolltop.base.os_errors import explain_resource_limit
from rolltop.errors import InvalidInput
from rolltop.settings import Settings

__all__ = [
    "GROUP",
    "SEARCH",
    "LiveSet",
    "Loaded",
    "Problem",
    "discover",
    "lint_all",
    "lint_prompt",
    "lint_spec",
    "load_set",
    "refuse_name",
    "select",
]


logger = logging.getLogger("rolltop.toolsets")

GROUP = "rolltop.toolsets"
"""The entry point group, in which other packages may add tool sets."""

EXAMPLE = "example"
SEARCH = "search"
"""The set of three tools that find and call the others, and the tool mode that serves it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded tool set: its tools, or the reason why it has none."""

    toolset: ToolSet
    specs: tuple[ToolSpec, ...] = ()
    needs: tuple[Need, ...] = ()
    error: str | None = None

    @property
    def served(self) -> bool:
        return self.error is None


def discover() -> tuple[list[ToolSet], list[Loaded]]:
    """All installed sets by name, and those whose declaration cannot be imported."""
    found: dict[str, ToolSet] = {}
    broken: list[Loaded] = []
    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        try:
            toolset = point.load()
            if not isinstance(toolset, ToolSet):
                raise TypeError(f"{point.value} is not a ToolSet")
        except Exception as error:
            logger.warning("tool set %s cannot be loaded: %s", point.name, one_line(error))
            broken.append(Loaded(ToolSet(point.name, "cannot be loaded"), error=_reason(error)))
            continue
        found.setdefault(toolset.name, toolset)
    return list(found.values()), broken


def select(available: Sequence[ToolSet], settings: Settings) -> list[ToolSet]:
    """The sets that the settings select: all that are not hidden, or exactly the named ones."""
    names = {toolset.name for toolset in available}
    for wanted in settings.toolsets:
        if wanted not in names:
            near = difflib.get_close_matches(wanted, names, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise InvalidInput(
                f"there is no tool set {wanted!r}{meant}", hint=f"Tool sets: {', '.join(sorted(names))}."
            )
    return [toolset for toolset in available if _wanted(toolset, settings)]


def refuse_name(setting: str, name: str, known: Iterable[str], *, certain: bool) -> None:
    """The error for a setting that names an unknown tool. A set that could not be loaded may have it."""
    near = difflib.get_close_matches(name, list(known), n=1)
    said = f"{setting} names a tool that is not there, {name!r}" + (f"; did you mean {near[0]}?" if near else "")
    if certain:
        raise InvalidInput(said, hint="rolltop tools list shows all tools.")
    logger.warning("%s", said)


def _wanted(toolset: ToolSet, settings: Settings) -> bool:
    if toolset.name == EXAMPLE:
        return settings.include_example_tools
    if toolset.name == SEARCH:
        return settings.tool_mode == SEARCH
    if settings.toolsets:
        return toolset.name in settings.toolsets
    return not toolset.hidden


def load_set(toolset: ToolSet, settings: Settings) -> Loaded:
    """Import a set and check its needs; never raises."""
    try:
        needs = tuple(toolset.check_needs(settings))
        missing = [need for need in needs if need.vital and not need.present]
        if missing:
            return Loaded(toolset, needs=needs, error=_missing(missing))
        specs = toolset.load()
        _try_schemas(toolset, specs)
        return Loaded(toolset, specs, needs)
    except Exception as error:
        logger.warning("tool set %s is not served: %s", toolset.name, _reason(error))
        logger.debug("tool set %s", toolset.name, exc_info=error)
        return Loaded(toolset, error=_reason(error))


def _try_schemas(toolset: ToolSet, specs: Iterable[ToolSpec]) -> None:
    """Refuse a foreign set with a tool that has no schema: it would break `tools/list` as a whole."""
    if all(module.startswith("rolltop.") for module in toolset.modules):
        return  # our own sets are tested, and the check is slow
    for spec in specs:
        try:
            spec.input_schema, spec.value_schema  # noqa: B018 - making them is the test
        except Exception as error:
            raise TypeError(f"the tool {spec.name} has types without a schema: {one_line(error)}") from error


def _reason(error: Exception) -> str:
    told = explain_resource_limit(error)
    return str(told) if told else f"{type(error).__name__}: {one_line(error)}"


def _missing(needs: Iterable[Need]) -> str:
    return "; ".join(f"{need.name} is missing" + (f" ({need.fix})" if need.fix else "") for need in needs)


class LiveSet:
    """Updates the registry with tools that come from data. A tool that cannot be registered affects no other."""

    def __init__(
        self,
        registry: Registry,
        source: LiveTools,
        register: Callable[[ToolSpec], str | None],
        announce: Callable[[], None],
    ) -> None:
        self._registry = registry
        self._source = source
        self._register = register
        self._announce = announce
        self._lock = threading.Lock()
        self._served: dict[str, tuple[str, ToolSpec]] = {}
        self._update()
        self._stop = source.watch(self.changed)

    def changed(self) -> None:
        """Register new tools, remove those that are gone, and announce a changed list."""
        if self._update():
            self._announce()

    def close(self) -> None:
        self._stop()

    def _update(self) -> bool:
        with self._lock:
            wanted = {spec.name: spec for spec in self._source.specs()}
            stale = [
                name
                for name, (_, spec) in self._served.items()
                if name not in wanted or _face(wanted[name]) != _face(spec)
            ]
            for name in stale:
                self._registry.remove(self._served.pop(name)[0])
            fresh = [spec for name, spec in wanted.items() if name not in self._served]
            added = [self._add(spec) for spec in fresh]
            return bool(stale) or any(added)

    def _add(self, spec: ToolSpec) -> bool:
        try:
            with warnings.catch_warnings():
                # Users choose these names: the warning about a long one must not become an error.
                warnings.simplefilter("ignore")
                final = self._register(spec)
        except Exception as error:
            logger.warning("the tool %s is not served: %s", spec.name, one_line(error))
            return False
        if final is not None:
            self._served[spec.name] = (final, spec)
        return final is not None


def _face(spec: ToolSpec) -> tuple[Any, ...]:
    """The parts of a tool that clients see."""
    return (spec.schema, spec.documentation, spec.output, spec.annotations, spec.consent)


FIRST_LINE = 50
TOOL_TEMPLATE = "src/rolltop/tools/README.md"
PROMPT_TEMPLATE = "src/rolltop/prompts/README.md"
_PLACEHOLDER = r"(?i)\b(foo|bar|baz|xxx|lorem ipsum|your[_ -]\w+|tbd)\b|<(your|name|path|value|text|id)[a-z _-]*>"


@dataclass(frozen=True, slots=True)
class Problem:
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def lint_all(settings: Settings) -> list[Problem]:
    """Lint the tools and prompts of every installed set, served or not."""
    available, broken = discover()
    loaded = [load_set(toolset, settings) for toolset in available]
    broken = [*broken, *(each for each in loaded if each.error and not _lacks_a_part(each))]
    problems = [Problem(each.toolset.name, f"cannot be loaded: {each.error}") for each in broken]
    for toolset in available:
        if toolset in [each.toolset for each in broken]:
            continue
        for spec in toolset.load():
            problems.extend(Problem(spec.name, message) for message in lint_spec(spec))
        for module in toolset.prompts:
            resolve(f"{module}:__name__")
        for prompt in declared_prompts(toolset.prompts):
            problems.extend(Problem(f"prompt {prompt.name}", message) for message in lint_prompt(prompt))
    return problems


def _lacks_a_part(loaded: Loaded) -> bool:
    """True if a set is not served because this machine lacks a part; its tools may be fine."""
    return any(need.vital and not need.present for need in loaded.needs)


def lint_spec(spec: ToolSpec) -> Iterator[str]:
    """Yield the problems of a tool's documentation."""
    if not spec.summary:
        yield "has no docstring"
    elif len(spec.summary) > FIRST_LINE:
        yield f"the first line has {len(spec.summary)} characters, at most {FIRST_LINE} are allowed"
    if not spec.body:
        yield "the docstring says nothing beyond its first line"
    if not spec.usage:
        yield "has no usage instructions"
    yield from _lint_fields(spec.input_schema)
    yield from _lint_examples(spec)
    yield from _lint_sections(describe(spec, "full"), SECTIONS)
    if TOOL_TEMPLATE not in _source(spec.func):
        yield f"its module has no comment that refers to {TOOL_TEMPLATE}"
    if spec.annotations.destructive and spec.consent is None and "consent-exempt" not in spec.tags:
        yield "is destructive but asks for no consent"


def _lint_fields(schema: dict[str, Any], where: str = "") -> Iterator[str]:
    for name, each in schema.get("properties", {}).items():
        path = f"{where}.{name}" if where else name
        if not each.get("description"):
            yield f"the argument {path} has no description"
        yield from _lint_fields(each, path)
    for definition, each in schema.get("$defs", {}).items():
        yield from _lint_fields(each, definition)


def _lint_examples(spec: ToolSpec) -> Iterator[str]:
    if not spec.examples:
        yield "has no examples"
    for number, example in enumerate(spec.examples, 1):
        if not example.why or not example.expect:
            yield f"example {number} does not say why or what to expect"
        if re.search(_PLACEHOLDER, str(dict(example.arguments))):
            yield f"example {number} holds a placeholder instead of a real value"
        if spec.model is not None and example.fails is None:
            try:
                check_arguments(spec.model, example.arguments)
            except InvalidArguments as error:
                yield f"example {number} is not valid: {error}"


def _lint_sections(text: str, sections: tuple[str, ...]) -> Iterator[str]:
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if tuple(headings) != sections:
        yield f"the sections are {headings}, expected {list(sections)}"


def lint_prompt(prompt: Prompt) -> Iterator[str]:
    """Yield the problems of a prompt's documentation."""
    if len(prompt.summary) > FIRST_LINE:
        yield f"the first line has {len(prompt.summary)} characters, at most {FIRST_LINE} are allowed"
    yield from _lint_sections(prompt.text, PROMPT_SECTIONS)
    if "*args" in prompt.text and f"@{prompt.name}" not in prompt.text:
        yield f"the usage does not show @{prompt.name}"
    if re.search(r"\barg[0-9A-F]\b", prompt.text):
        yield "shows its internal argument names"
    if PROMPT_TEMPLATE not in _source(prompt.render):
        yield f"its module has no comment that refers to {PROMPT_TEMPLATE}"


def _source(func: Any) -> str:
    module = sys.modules.get(func.__module__)
    return inspect.getsource(module) if module is not None else ""
