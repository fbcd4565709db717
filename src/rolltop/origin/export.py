"""Lineages for people and for other programs: a tree of lines, Graphviz, W3C PROV-JSON."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from rolltop.origin.lineage import Lineage
from rolltop.origin.records import Making, Part

__all__ = ["as_dot", "as_prov", "as_tree"]

NAMESPACE = "urn:rolltop:"


def as_tree(found: Lineage) -> list[str]:
    """The thing, how it was made and from what, level by level; then what was made of it."""
    lines = [f"{found.thing.label}  {found.thing.hash[:12]}"]
    shown: set[int] = set()

    def add(number: int, indent: str) -> None:
        making = found.makings[number]
        when = datetime.fromtimestamp(making.time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        by = f"{making.client} {making.client_version}".strip() or "unknown"
        lines.append(f"{indent}made by {making.tool}, {when}, {making.seconds:.1f} s, by {by}" + _for(making))
        if number in shown:
            lines.append(f"{indent}  (as above)")
            return
        shown.add(number)
        lines.append(f"{indent}  with {', '.join(f'{name} {value}' for name, value in making.versions.items())}")
        for place, part in enumerate(making.inputs):
            lines.append(f"{indent}  {part.role}: {part.label}  {part.hash[:12]}")
            if (before := found.sources.get((number, place))) is not None:
                add(before, indent + "    ")

    if found.made_by is None:
        lines.append("  stored as it is: no tool made it here")
    else:
        add(found.made_by, "  ")
    for number in found.used_by:
        making = found.makings[number]
        lines.append(f"  used by {making.tool} for {making.name}")
    if not found.complete:
        lines.append("  (more than is shown here)")
    return lines


def _for(making: Making) -> str:
    return f" for {making.principal}" if making.principal else ""


def as_dot(found: Lineage) -> str:
    """A directed graph: boxes are things, ellipses are calls."""
    nodes: dict[str, str] = {_entity(found.thing): f"{_label(found.thing)}, style=bold"}
    edges: dict[str, None] = {}
    for making in found.makings.values():
        call = f"call{making.id}"
        nodes[call] = f"label={_quoted(making.tool)}, shape=ellipse"
        for part in making.inputs:
            nodes.setdefault(_entity(part), _label(part))
            edges[f"{_quoted(_entity(part))} -> {call} [label={_quoted(part.role)}];"] = None
        for part in making.outputs:
            nodes.setdefault(_entity(part), _label(part))
            edges[f"{call} -> {_quoted(_entity(part))};"] = None
    lines = [f"  {_quoted(name) if ':' in name else name} [{text}];" for name, text in nodes.items()]
    return "\n".join(
        ["digraph made {", "  rankdir=LR;", "  node [shape=box];", *lines, *map("  {}".format, edges), "}"]
    )


def _label(part: Part) -> str:
    return f"label={_quoted(part.label)}"


def _quoted(text: str) -> str:
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text)
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _entity(part: Part) -> str:
    """One entity for each content at a place."""
    return f"{part.hash[:16]}:{part.uri}"


def as_prov(found: Lineage) -> dict[str, Any]:
    """PROV-JSON: https://www.w3.org/Submission/prov-json/."""
    document: dict[str, Any] = {
        "prefix": {"rolltop": NAMESPACE, "sha256": f"{NAMESPACE}sha256:", "prov": "http://www.w3.org/ns/prov#"},
        "entity": {_prov_name(found.thing): _prov_entity(found.thing)},
    }
    for making in sorted(found.makings.values(), key=lambda each: each.id):
        for kind, name, value in _statements(making):
            document.setdefault(kind, {})[name] = value
    return document


def _statements(making: Making) -> Iterator[tuple[str, str, dict[str, Any]]]:
    call = f"rolltop:call-{making.id}"
    started = datetime.fromtimestamp(making.time, UTC)
    ended = datetime.fromtimestamp(making.time + making.seconds, UTC)
    yield (
        "activity",
        call,
        {
            "prov:startTime": started.isoformat(),
            "prov:endTime": ended.isoformat(),
            "prov:type": "rolltop:call",
            "rolltop:tool": making.tool,
            **{f"rolltop:version-{name}": version for name, version in making.versions.items()},
        },
    )
    client, user = _name("client", making.client), _name("user", making.principal)
    yield "agent", client, _agent("SoftwareAgent", making.client) | {"rolltop:version": making.client_version}
    yield "agent", user, _agent("Person", making.principal)
    yield "wasAssociatedWith", f"_:a{making.id}", {"prov:activity": call, "prov:agent": client}
    delegation = {"prov:delegate": client, "prov:responsible": user, "prov:activity": call}
    yield "actedOnBehalfOf", f"_:b{making.id}", delegation
    for place, part in enumerate(making.inputs):
        name = _prov_name(part)
        yield "entity", name, _prov_entity(part)
        yield "used", f"_:u{making.id}-{place}", {"prov:activity": call, "prov:entity": name, "prov:role": part.role}
    for place, part in enumerate(making.outputs):
        name = _prov_name(part)
        yield "entity", name, _prov_entity(part)
        yield "wasGeneratedBy", f"_:g{making.id}-{place}", {"prov:entity": name, "prov:activity": call}
        for before, source in enumerate(making.inputs):
            derived = {"prov:generatedEntity": name, "prov:usedEntity": _prov_name(source), "prov:activity": call}
            yield "wasDerivedFrom", f"_:d{making.id}-{place}-{before}", derived


def _agent(kind: str, name: str) -> dict[str, Any]:
    return {"prov:type": {"$": f"prov:{kind}", "type": "prov:QUALIFIED_NAME"}, "prov:label": name or "unknown"}


def _name(kind: str, text: str) -> str:
    return f"rolltop:{kind}-{re.sub('[^A-Za-z0-9_-]', '_', text) or 'unknown'}"


def _prov_name(part: Part) -> str:
    """A copy is an entity of its own."""
    return f"sha256:{part.hash}" + (f"-{hashlib.sha256(part.uri.encode()).hexdigest()[:8]}" if part.uri else "")


def _prov_entity(part: Part) -> dict[str, Any]:
    return {"prov:label": part.label, "rolltop:sha256": part.hash, "rolltop:size": part.size} | (
        {"prov:location": part.uri} if part.uri else {}
    )
