"""Programs that are kept, what a run asks of the checker, and when code is generated."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from strategies import programs

from rolltop.transform import Document, ProgramInvalid, compile_program
from rolltop.transform.cache import ProgramCache
from rolltop.transform.check import check_parsed, unresolved
from rolltop.transform.check.names import resolves
from rolltop.transform.syntax.parser import parse


def test_the_same_text_and_formats_give_the_same_program() -> None:
    cache = ProgramCache()
    first = cache.get("$input.a", inputs={"input": "json"})
    assert cache.get("$input.a", inputs={"input": "json"}) is first
    assert cache.get("$input.a", inputs={"input": "yaml"}) is not first


def test_the_cache_is_bounded_by_number_and_by_length() -> None:
    cache = ProgramCache(entries=3, characters=100)
    for number in range(10):
        cache.get(f"{number}")
    assert len(cache) == 3
    cache.get('"' + "x" * 90 + '"')
    assert len(cache) <= 3
    cache.get('"' + "x" * 200 + '"')
    assert cache.get("7") is not None


def test_invalid_programs_are_not_kept() -> None:
    cache = ProgramCache()
    for _ in range(2):
        with pytest.raises(ProgramInvalid):
            cache.get("{ a: ")
        with pytest.raises(ProgramInvalid, match="uper"):
            cache.get("if (false) uper(1) else 2", resolved=True)
    assert len(cache) == 0


@pytest.mark.parametrize(
    "text",
    [
        "let f = x => x\nf(1)",
        "function Add(a, b) { a + b }\nAdd(1, 2)",
        "Later(1)\nfunction Later(x) { y + x }\nlet y = 2",
        "map([1], upper)",
        "$input |> count",
        "match (1) { n if n > 0 => n, _ => $input }",
        "try { $input.a } catch (e) { e }",
        "{ let a = 1; b: a, [a]: a, ...$input }",
    ],
)
def test_right_names_resolve(text: str) -> None:
    assert resolves(parse(text).program)


@pytest.mark.parametrize(
    "text",
    ["x", "uper(1)", "let f = x => x\nf(1, 2)", "upper()", "(x => y)(1)", "1(2)", "let a = 1\na(2)", "1 |> nope"],
)
def test_wrong_names_and_arities_are_found_also_where_no_run_comes_by(text: str) -> None:
    assert unresolved(parse(f"if (false) (try {{ {text} }} catch {{ 2 }}) else 1"))


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs)
def test_the_quick_answer_never_contradicts_the_inference_about_names(text: str) -> None:
    parsed = parse(text)
    sure = [found for found in check_parsed(parsed).errors if found.code in ("E401", "E402", "E403")]
    assert not (sure and resolves(parsed.program))
    assert not (not sure and unresolved(parsed)) or all(found.code == "E404" for found in unresolved(parsed))


def test_code_is_generated_when_it_pays() -> None:
    program = compile_program("count($input)")
    program.run({"input": Document("[1, 2]")})
    assert "compiled_for_documents" not in program.__dict__
    program.run({"input": Document("[" + "1," * 20_000 + "1]")})
    assert program.compiled_for_documents is not None
    often = compile_program("count($input)")
    for _ in range(30):
        often.evaluate({"input": [1]})
    assert "compiled" in often.__dict__
