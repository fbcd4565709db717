"""What will happen when a program runs: the tier, the fields it reads, whether it streams, what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.compile.tiers import Tiers
from rolltop.transform.markup import MarkupTiers
from rolltop.transform.program import Program
from rolltop.transform.stream.plan import Plan, plan_of

__all__ = ["Explanation", "explain"]

_WORDS = {"num": "Number", "str": "String", "any": "Any"}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about how a program runs that is known before it does."""

    tier: str
    """`typed`, `general` (generated code with all tests) or `evaluator`."""
    untyped_because: str | None
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


def explain(program: Program) -> Explanation:
    """Look at a program without running it."""
    plan = plan_of(program.parsed.program)
    if plan.possible and program.asks_for_places:
        plan = Plan(plan.program, obstacle="elements are asked for their places in the document")
    tiers = _tiers_of(program, plan)
    typed = tiers.typed if not program.asks_for_places else None
    if typed is not None and program.header.inputs[0].format == "csv" and not plan.possible:
        typed, tiers.obstacle = None, "a table read as a whole is not typed"
    general = "general" if program.compiled_for_documents is not None else "evaluator"
    return Explanation(
        tier="typed" if typed is not None else general,
        untyped_because=None if typed is not None else tiers.obstacle or "elements are asked for their places",
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
