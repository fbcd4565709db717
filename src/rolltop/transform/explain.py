"""What will happen when a program runs: the tier, the fields it reads, whether it streams, what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.columns import Columns
from rolltop.transform.compile.tiers import Tiers
from rolltop.transform.markup import MarkupTiers
from rolltop.transform.program import Program
from rolltop.transform.stream.plan import Plan, plan_of
from rolltop.transform.stream.sinks import sink_for

__all__ = ["Explanation", "explain"]

_WORDS = {"num": "Number", "str": "String", "any": "Any"}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about how a program runs that is known before it does."""

    tier: str
    """`columnar` or `typed`, `general` (generated code with all tests) or `evaluator`."""
    untyped_because: str | None
    not_columnar_because: str | None
    """Why a table is not gone over by columns."""
    fields: list[dict[str, Any]]
    """Path, type and whether it must be there, of every field that the typed tier decodes."""
    streams: str | None
    """`records` or `totals` when it runs piece by piece."""
    array: str | None
    """Where in the input the array of records is."""
    not_streamed_because: str | None
    place: tuple[int, int] | None
    output_type: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "tier": self.tier,
            "untypedBecause": self.untyped_because,
            "notColumnarBecause": self.not_columnar_because,
            "fields": self.fields,
            "streams": self.streams,
            "array": self.array,
            "notStreamedBecause": self.not_streamed_because,
            "place": None if self.place is None else {"line": self.place[0], "column": self.place[1]},
            "outputType": self.output_type,
        }


def _tiers_of(program: Program, plan: Plan) -> Tiers | MarkupTiers:
    pieced = plan.fold.pieces if plan.fold is not None else plan.program
    if plan.possible and program.header.inputs[0].format == "xml":
        return MarkupTiers(pieced, plan.path)
    return Tiers(pieced)


def _columns_of(program: Program, plan: Plan, tiers: Tiers | MarkupTiers) -> Columns | None:
    """The way by columns, as a stream of a table tries it; None for what is no table with a header."""
    source, format_ = program.header.inputs[0], program.header.outputs[0].format
    if not isinstance(tiers, Tiers) or source.format != "csv" or source.options.get("headers") is False:
        return None
    # XML is only written around records, and from values.
    sink = None if plan.fold is not None or format_ == "xml" else sink_for(format_, _nowhere, {})
    return Columns(tiers, sink.encode_ready if sink is not None and sink.takes_ready else None)


_WHOLE = {True: "elements are asked for their places", False: "what is logged and timed belongs to one run"}
"""Why a program runs whole, by whether it asks for places."""


def _nowhere(_: bytes) -> None:
    """Nothing is written when a program is only explained."""


def explain(program: Program) -> Explanation:
    """Look at a program without running it."""
    plan = plan_of(program.parsed.program)
    if plan.possible and program.asks_for_places:
        plan = Plan(plan.program, obstacle="elements are asked for their places in the document")
    tiers = _tiers_of(program, plan)
    typed = tiers.typed if not program.runs_whole else None
    if typed is not None and program.header.inputs[0].format == "csv" and not plan.possible:
        typed, tiers.obstacle = None, "a table read as a whole is not typed"
    columns = _columns_of(program, plan, tiers) if typed is not None else None
    general = "general" if program.compiled_for_documents is not None else "evaluator"
    return Explanation(
        tier=general if typed is None else "columnar" if columns is not None and columns.code is not None else "typed",
        untyped_because=None if typed is not None else tiers.obstacle or _WHOLE[program.asks_for_places],
        not_columnar_because=columns.obstacle if columns is not None else None,
        fields=[]
        if typed is None
        else [
            {"path": path, "type": _WORDS[place.form or "any"], "required": place.required}
            for path, place in typed.root.walk()
        ],
        streams=None
        if not plan.possible
        else "totals"
        if plan.fold is not None
        else "totals, then records"
        if plan.first is not None
        else "records",
        array=".".join(["$input", *plan.path]) if plan.possible else None,
        not_streamed_because=plan.obstacle,
        place=program.source.place(plan.at) if plan.at is not None else None,
        output_type=str(check_parsed(program.parsed).result),
    )
