"""Generated programs and data for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

names = st.sampled_from(["a", "b", "total", "item-name", "x1"])
fields = st.sampled_from(["a", "b", "items", "price", "name"])
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
numbers = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(fields | texts, inner, max_size=4)),
    max_leaves=12,
)
records = st.lists(
    st.fixed_dictionaries({}, optional={"a": scalars, "b": scalars, "name": texts, "price": numbers | texts}),
    max_size=5,
)
documents = st.one_of(
    json_values,
    st.fixed_dictionaries({"items": records}, optional={"a": json_values, "b": scalars, "name": texts}),
)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


literals = st.one_of(
    st.integers(-100, 10**9).map(str),
    st.floats(0, 1e6, allow_nan=False).map(repr),
    texts.map(_quoted),
    st.sampled_from(["true", "false", "null"]),
)
OPERATORS = ["+", "-", "*", "/", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "??"]


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    entry = st.one_of(
        st.tuples(fields, inner).map(lambda p: f"{p[0]}: {p[1]}"),
        st.tuples(fields, inner).map(lambda p: f"@{p[0]}: {p[1]}"),
        st.tuples(inner, inner).map(lambda p: f"[{p[0]}]: {p[1]}"),
        inner.map(lambda e: f"...{e}"),
    )
    return st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        st.tuples(inner, st.sampled_from(OPERATORS), inner, st.sampled_from(OPERATORS), literals).map(
            lambda p: f"({p[0]}) {p[1]} ({p[2]}) {p[3]} {p[4]}"
        ),
        inner.map(lambda e: f"-({e})"),
        inner.map(lambda e: f"!({e})"),
        st.tuples(inner, fields).map(lambda p: f"({p[0]}).{p[1]}"),
        st.tuples(inner, fields).map(lambda p: f"({p[0]})?.{p[1]}"),
        st.tuples(inner, fields).map(lambda p: f"({p[0]}).@{p[1]}"),
        pair.map(lambda p: f"({p[0]})[{p[1]}]"),
        st.lists(st.one_of(inner, inner.map(lambda e: f"...{e}")), max_size=3).map(lambda es: f"[{', '.join(es)}]"),
        st.lists(entry, max_size=3).map(lambda es: "{ " + ", ".join(es) + " }"),
        st.tuples(inner, inner, inner).map(lambda p: f"(if ({p[0]}) ({p[1]}) else ({p[2]}))"),
        st.tuples(inner, inner, inner).map(lambda p: f"(({p[0]}) ? ({p[1]}) : ({p[2]}))"),
        st.tuples(inner, inner).map(lambda p: f"(({p[0]}) if ({p[1]}))"),
        st.tuples(names, inner, inner).map(lambda p: f"(let {p[0]} = ({p[1]}) in [{p[0]}, ({p[2]})])"),
        st.tuples(names, inner, inner).map(lambda p: f"{{ let {p[0]} = ({p[1]}); v: {p[0]}, w: ({p[2]}) }}"),
        st.tuples(inner, literals, inner, inner).map(
            lambda p: f"(match ({p[0]}) {{ {p[1]} => ({p[2]}), n if (n == null) => n, _ => ({p[3]}) }})"
        ),
        st.tuples(inner, inner).map(lambda p: f"(try {{ {p[0]} }} catch (e) {{ [e, ({p[1]})] }})"),
        st.tuples(inner, inner).map(lambda p: f"map(({p[0]}), v => [v, ({p[1]})])"),
        st.tuples(inner, inner).map(lambda p: f"(({p[0]}) |> filter(v => ({p[1]})))"),
        st.tuples(inner, inner).map(lambda p: f"reduce(({p[0]}), (s, v) => [s, v, ({p[1]})], 0)"),
        inner.map(lambda e: f"count(({e}))"),
        inner.map(lambda e: f"(({e}) |> toString)"),
        inner.map(lambda e: f"sum(map($input.items, i => i.price * 2 + ({e})))"),
    )


paths = st.lists(fields, max_size=3).map(lambda parts: ".".join(["$input", *parts]))
expressions = st.recursive(st.one_of(literals, paths, paths), _compound, max_leaves=10)
bindings = st.lists(
    st.one_of(
        st.tuples(names, expressions).map(lambda p: f"let {p[0]} = {p[1]};"),
        st.tuples(expressions).map(lambda p: f"function Fn(q) {{ [q, ({p[0]})] }}"),
    ),
    max_size=3,
)
programs = st.tuples(bindings, expressions).map(lambda p: "\n".join([*p[0], f"({p[1]})"]))
