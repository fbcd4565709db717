"""Programs that go over records, and records that are mostly regular: the ground of the typed tiers and of streams."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-5, 50),
    st.sampled_from([0.5, 2.0, 1e16, 2.5, -0.0, 1e-7, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63) - 1]),
)
TEXTS = st.sampled_from(["", "a", "b", "10", "2.5", "x y", "é", '"q"', "1.0,", "\\"])
ODD = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, st.just([]), st.just({}), st.just([1]), st.just({"n": 1}))


def _mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 19).flatmap(lambda chance: ODD if chance == 0 else usual)


INNER = st.fixed_dictionaries({"n": _mostly(NUMBERS), "s": _mostly(TEXTS)}, optional={"k": _mostly(TEXTS), "z": ODD})
RECORDS = st.fixed_dictionaries(
    {"n": _mostly(NUMBERS), "s": _mostly(TEXTS), "xs": _mostly(st.lists(_mostly(INNER), max_size=3))},
    optional={"a": _mostly(INNER), "b": _mostly(st.booleans()), "ns": _mostly(st.lists(_mostly(NUMBERS), max_size=3))},
)
ARRAYS = st.lists(_mostly(RECORDS), max_size=6)
REGULAR = st.lists(
    st.fixed_dictionaries(
        {
            "n": st.integers(0, 9) | st.floats(0, 9, width=16),
            "s": TEXTS,
            "b": st.booleans(),
            "a": st.fixed_dictionaries({"n": st.integers(0, 9), "s": TEXTS, "k": TEXTS}),
            "xs": st.lists(st.fixed_dictionaries({"n": st.integers(0, 9), "s": TEXTS, "k": TEXTS}), max_size=3),
            "ns": st.lists(st.integers(0, 9), max_size=3),
        }
    ),
    max_size=6,
)


def _leaves(name: str, *, inner: bool) -> st.SearchStrategy[str]:
    own = [f"{name}.n", f"{name}.s", f"{name}.n", f"{name}.s"]
    own += (
        [f"{name}.k", f"{name}.z"]
        if inner
        else [f"{name}.a.n", f"{name}.a.s", f"{name}.a?.k", f"{name}.b", f"{name}.a"]
    )
    return st.sampled_from([*own, "1", "2.5", "0", '"a"', '"t"', "null", "true"])


def _expressions(name: str, *, inner: bool) -> st.SearchStrategy[str]:
    """Expressions over one record (or one element inside it), as texts."""
    leaf = _leaves(name, inner=inner)
    return st.recursive(leaf, lambda part: _over(part, name, inner=inner), max_leaves=6)


def _over(part: st.SearchStrategy[str], name: str, *, inner: bool) -> st.SearchStrategy[str]:
    pair = st.tuples(part, part)
    ways = [
        st.tuples(part, st.sampled_from("+-*/%"), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(part, st.sampled_from(["==", "!=", "<", ">="]), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(part, st.sampled_from(["&&", "||", "??"]), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        part.map(lambda e: f"upper({e})"),
        part.map(lambda e: f"round({e})"),
        part.map(lambda e: f"toString({e})"),
        part.map(lambda e: f"(!{e})"),
        st.tuples(part, part, part).map(lambda p: f"(if ({p[0]}) {p[1]} else {p[2]})"),
        pair.map(lambda p: f"(try {{ {p[0]} }} catch (e) {{ {p[1]} }})"),
        pair.map(lambda p: f"(try {{ [{p[0]} * 2, {p[1]}] }} catch (e) {{ {p[0]} * 2 }})"),
        st.tuples(part, part, part).map(
            lambda p: (
                f'(match ({p[0]}) {{ "a" => {p[1]}, 2 => [{p[2]}], null => {p[2]}, '
                f"x if {p[1]} == {p[2]} => [x, {p[2]}], true if {p[2]} => {p[2]}, _ => {p[1]} }})"
            )
        ),
        pair.map(lambda p: f'(match ({p[0]}) {{ "a" => {p[1]} * 2, _ => {p[1]} * 2 + 1 }})'),
        pair.map(lambda p: f"{{ p: {p[0]}, q: {p[1]} }}"),
        pair.map(lambda p: f"(let v = {p[0]} in [v, {p[1]}, v])"),
    ]
    if not inner:
        ways += [_loops(name), _loops(name), st.just(f"sum({name}.ns)"), st.just(f"{{ ...{name}.a, y: 1 }}")]
    return st.one_of(ways)


def _loops(name: str) -> st.SearchStrategy[str]:
    inside = _expressions("i", inner=True)
    array = st.one_of(
        st.sampled_from([f"{name}.xs", f"({name}.xs ?? [])"]),
        inside.map(lambda e: f"({name}.xs |> filter(i => {e}))"),
    )
    return st.one_of(
        st.tuples(array, inside).map(lambda p: f"map({p[0]}, i => {p[1]})"),
        st.tuples(array, inside).map(lambda p: f"sum(map({p[0]}, i => {p[1]}))"),
        array.map(lambda a: f"count({a})"),
        array.map(lambda a: f"{a}"),
        st.tuples(array, inside).map(lambda p: f"sumBy({p[0]}, i => {p[1]})"),
        st.tuples(array, inside, st.integers(0, 2)).map(lambda p: f"({p[0]} |> sortBy(i => {p[1]}) |> take({p[2]}))"),
        st.tuples(array, inside, inside).map(
            lambda p: f"({p[0]} |> sortBy(i => {p[1]}) |> reverse |> map(i => {p[2]}))"
        ),
        st.tuples(array, inside, st.sampled_from(["every", "some", "countBy", "findIndex"])).map(
            lambda p: f"{p[2]}({p[0]}, i => {p[1]})"
        ),
        st.tuples(array, inside, inside).map(
            lambda p: (
                f"map(map({p[0]}, i => [{p[1]}, map({name}.xs, j => [j.n, i.n])]), "
                f"k => map({name}.xs, i => [{p[2]}, k]))"
            )
        ),
        st.tuples(array, inside).map(
            lambda p: (
                f"map(filter({p[0]}, i => count({name}.xs) > 0), "
                f"i => map({name}.xs, j => (let w = {p[1]} in [w, j.s])))"
            )
        ),
        st.tuples(array, inside, inside).map(lambda p: f"flatMap({p[0]}, i => [{p[1]}, {p[2]}])"),
        st.tuples(array, inside).map(lambda p: f"(drop({p[0]}, 1) |> flatMap(i => {p[1]}))"),
        st.tuples(array, inside, inside).map(
            lambda p: f"({p[0]} |> groupBy(i => {p[1]}) |> mapValues(g => sum(map(g, i => {p[2]}))))"
        ),
        st.tuples(array, inside, inside).map(
            lambda p: f"({p[0]} |> groupBy(i => {p[1]}) |> mapValues(g => [count(g), map(g, i => {p[2]})]))"
        ),
    )


OF_RECORD = _expressions("o", inner=False)
BODIES = st.one_of(
    OF_RECORD,
    st.tuples(OF_RECORD, OF_RECORD, OF_RECORD).map(lambda p: f"{{ let w = {p[0]}; a: {p[1]}, b: w, c: {p[2]}, d: w }}"),
    st.tuples(OF_RECORD, OF_RECORD).map(lambda p: f"{{ a: {p[0]}, b: {p[1]}, c: {p[0]} }}"),
)
FUNCTIONS = st.tuples(OF_RECORD, _expressions("i", inner=True), OF_RECORD).map(
    lambda p: (
        f"function Of(o) {{ {p[0]} }}\nfunction Inner(i) {{ {p[1]} }}\nlet rate = 2\nfunction Both(o, k) "
        f"{{ [Of(o), {p[2]}, k, rate] }}\n"
        "$input |> map(o => { a: Of(o), b: map(o.xs, i => Inner(i)), c: Both(o, Of(o)), d: sum(map(o.xs, i => i.n)) })"
    )
)
"""Functions that are called from several places, and from each other."""
MAPS = BODIES.map(lambda body: f"map(o => {body})")
FILTERS = OF_RECORD.map(lambda test: f"filter(o => {test})")
PIPELINES = st.one_of(
    MAPS.map(lambda m: f"$input |> {m}"),
    st.tuples(FILTERS, MAPS).map(lambda p: f"$input |> {p[0]} |> {p[1]}"),
    st.tuples(FILTERS, FILTERS, MAPS).map(lambda p: f"$input |> {p[0]} |> {p[1]} |> {p[2]}"),
    st.tuples(FILTERS, BODIES).map(
        lambda p: f"let chosen = filter($input, o => {p[1]})\nlet rate = 2\nchosen |> map(o => {p[1]})"
    ),
    FILTERS.map(lambda f: f"$input |> {f}"),
    FUNCTIONS,
    st.tuples(FILTERS, OF_RECORD, BODIES).map(lambda p: f"$input |> {p[0]} |> flatMap(o => [{p[1]}, {p[2]}])"),
)
ENVELOPES = st.sampled_from(
    [
        "{{ Out: {{ R: {0} }} }}",
        '{{ a: 1.0, Out: {{ "@v": 2.0, h: "x<", R: {0}, t: [1, 2.5, {{ q: null }}] }}, z: 1e300, e: [] }}',
        "let k = 2\n{{ Out: {{ n: k, In: {{ R: {0} }} }} }}",
        "{{ Out: {{ R: {0}, n: 1 / 0 }} }}",
        '{{ Out: {{ R: {0}, n: toNumber("x") }} }}',
        'let rs = {0}\n{{ Out: {{ "no name": 1, R: rs }} }}',
        "let n = count($input)\n{{ Out: {{ n: n + 1, R: {0} }}, s: sum(map($input, o => o.n)) / n }}",
        "{{ n: count($input), R: {0} }}",
        "let rs = {0}\n{{ Out: {{ R: rs, n: count(rs), m: max($input |> map(o => o.n)) }} }}",
    ]
)
"""Results that have records inside an object."""
CHAINS = st.tuples(FILTERS, MAPS).map(lambda p: f"($input |> {p[0]} |> {p[1]})")
