"""The habits in the order in which they are looked for: where words begin and end first, names last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rolltop.transform.repair.habits import arguments, dataweave, headers, jq, marks, methods, paths, statements

__all__ = ["BODY", "HEADER", "Habit"]


@dataclass(frozen=True, slots=True)
class Habit:
    """A rule, and what to tell the author about it."""

    reason: str
    rule: Callable[[str], str]


BODY = (
    Habit("Quotation marks are straight.", marks.quotes),
    Habit("Comments start with //.", marks.comments),
    Habit('There are no template literals: join texts with +, as in "Hello " + name.', marks.templates),
    Habit("Equality is ==, inequality is !=.", marks.equality),
    Habit("jq's pipeline: . is $input, [] with select is filter, then map, joined by |>.", jq.pipelines),
    Habit("payload is $input.", dataweave.payload),
    Habit("x as Type is a function: toString(x), toNumber(x), parseDate(x, pattern).", dataweave.conversions),
    Habit("Functions stand before their arguments: xs |> map(x => …).", dataweave.infix_functions),
    Habit("A default is given with ??.", marks.defaults),
    Habit("A function that is an argument names its item: item => item.price.", arguments.bare_conditions),
    Habit("The document is $input, not $.", paths.roots),
    Habit("[*] and [condition] are map and filter.", paths.wildcards),
    Habit("A pipe is |>.", jq.pipes),
    Habit("An argument that is a function names its item: item => item.price.", jq.dot_arguments),
    Habit("A path starts with $input.", jq.dots),
    Habit("Texts, arrays and objects are put together by concat(a, b).", marks.concatenations),
    Habit("null is tested with == null and != null.", marks.null_tests),
    Habit("The constants are null, true and false.", marks.constants),
    Habit("Logic is written &&, || and !.", marks.word_operators),
    Habit("Each name is bound with its own let.", statements.destructuring),
    Habit("Names are bound with let.", statements.declarations),
    Habit("A function without a name is x => ….", statements.functions),
    Habit("There is no return: the last expression is the value.", statements.returns),
    Habit("A condition is if (c) a else b.", statements.conditions),
    Habit("A switch is match (x) { 1 => a, _ => b }.", statements.matches),
    Habit("Braces make objects: a value alone has none.", statements.braces),
    Habit("A comprehension is xs |> filter(x => …) |> map(x => …).", statements.comprehensions),
    Habit("A loop is xs |> map(x => …).", statements.loops),
    Habit("A property is key: value.", statements.properties),
    Habit("There is no shorthand for properties: write name: name.", statements.shorthands),
    Habit("Functions that are declared start with a capital letter.", statements.function_names),
    Habit("There are no objects of functions such as Math: the functions stand alone.", methods.namespaces),
    Habit("Dates are made by functions: now(), parseDate(text, pattern).", methods.constructors),
    Habit("Data has no methods: call the function with the value, as in xs |> map(f).", methods.method_calls),
    Habit("The number of items or characters is length(x).", methods.lengths),
    Habit("Arguments are in parentheses.", methods.prefix_calls),
    Habit("The function has another name here.", methods.function_words),
    Habit("Texts are joined by joinToString(xs, separator); join is that of two arrays.", arguments.joined_texts),
    Habit("The function with a key has By in its name: sumBy(xs, x => x.price).", arguments.keyed),
    Habit("The array comes first, then the function, then what it starts with.", arguments.orders),
    Habit("mapGroups(xs, key, g => …) calls with g.key and g.value.", arguments.grouped),
    Habit("A name is bound with let, or is a field of $input.", methods.variables),
    Habit("Every bracket is closed.", marks.brackets),
)
HEADER = headers.header_lines
"""What makes the header right; its reason is always the same."""
