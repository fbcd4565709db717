"""Related documents: `rolltop store graph`, as a tree, lines, JSON or a Graphviz graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rolltop.cli.completion import complete_documents
from rolltop.cli.groups import EXIT_CODES, Invocation
from rolltop.cli.output import harmless, is_terminal, note, print_json, print_rows, progress
from rolltop.cli.store import opened
from rolltop.cli.store.documents import find

if TYPE_CHECKING:
    from rich.tree import Tree

    from rolltop.store import Neighbourhood, Node, Related

__all__ = ["graph"]

PATIENCE = 10.0
"""Seconds to spend on relating recently stored documents: enough for a few thousand."""


@click.command(epilog=EXIT_CODES)
@click.argument("name", shell_complete=complete_documents)
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="Steps to go.")
@click.option("--limit", type=click.IntRange(1, 5000), default=100, show_default=True, help="Most documents to show.")
@click.option("--dot", is_flag=True, help="As a graph for Graphviz.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def graph(invocation: Invocation, name: str, *, depth: int, limit: int, dot: bool, as_json: bool) -> None:
    """Show related documents: versions, near duplicates, links, citations, imports, calls, rare
    terms and tags in common. In a pipe, a line for each: distance, weight, relations, path, where from, why."""
    with opened(invocation) as library:
        number, document = find(library, name)
        with progress("relating") as show:
            library.graph.trace(PATIENCE, show)
        found = library.graph.related(library.graph.node(document, number), depth, limit)
    if as_json:
        print_json(_as_dict(found))
    elif dot:
        click.echo(_as_dot(found))
    elif is_terminal():
        _print_tree(found)
    else:
        print_rows(("distance", "weight", "relations", "path", "from", "why"), map(_row, found.related))
    if found.behind:
        note(f"{found.behind} changes are not looked at yet, so more may be related; `rolltop store index` does that")
    if not found.complete and len(found.related) >= limit:
        note(f"more are related than the {limit} shown; --limit shows more")
    elif not found.complete:
        note("a document has more relations of one kind than are shown; those with the most weight are")


def _row(related: Related) -> tuple[str, ...]:
    kinds = ",".join(edge.kind for edge in related.edges)
    weight = f"{related.weight:g}"
    return str(related.distance), weight, kinds, _label(related.node), _label(related.via), _why(related)


def _label(node: Node) -> str:
    version = f" (version {node.version.number})" if node.version else ""
    return node.document.path + version


def _why(related: Related) -> str:
    return "; ".join(edge.reason for edge in related.edges)


def _as_dict(found: Neighbourhood) -> dict[str, Any]:
    return {
        "path": found.start.document.path,
        "hash": found.start.hash,
        "complete": found.complete and not found.behind,
        "related": [
            {
                "path": each.node.document.path,
                "hash": each.node.hash,
                "version": each.node.version.number if each.node.version else each.node.document.version,
                "distance": each.distance,
                "via": each.via.document.path,
                "edges": [{"type": e.kind, "weight": e.weight, "reason": e.reason} for e in each.edges],
            }
            for each in found.related
        ],
    }


def _as_dot(found: Neighbourhood) -> str:
    """A Graphviz graph: each document is a node, each relation an edge."""
    nodes = [found.start, *(each.node for each in found.related)]
    numbers = {node.key: number for number, node in enumerate(nodes)}
    lines = [f"  n{numbers[node.key]} [label={_quoted(_label(node))}];" for node in nodes]
    lines += [
        f"  n{numbers[each.via.key]} -- n{numbers[each.node.key]} "
        f"[label={_quoted(', '.join(edge.kind for edge in each.edges))}, weight={max(1, round(each.weight * 10))}];"
        for each in found.related
    ]
    return "\n".join(["graph related {", *lines, "}"])


def _quoted(text: str) -> str:
    escaped = harmless(_in_one_line(text)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _in_one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _print_tree(found: Neighbourhood) -> None:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    def shown(text: str) -> str:
        return harmless(_in_one_line(text))

    root = Tree(Text(shown(_label(found.start)), style="bold"))
    branches: dict[tuple[int, int], Tree] = {found.start.key: root}
    for each in found.related:
        line = Text.assemble(
            (shown(_label(each.node)), "bold"),
            (f"  {', '.join(edge.kind for edge in each.edges)} {each.weight:g}", "cyan"),
            (f"  {shown(_why(each))}", "dim"),
        )
        branches[each.node.key] = branches[each.via.key].add(line)
    Console().print(root)
