"""Programs and data that are meant to hurt, through the service: each ends as documented, and the next call works."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from test_hostile_input import HOSTILE

from rolltop.errors import RolltopError
from rolltop.transform.service import Service, ServiceConfig
from rolltop.transform.stdlib import functions

MANY = 'let many = split(repeat("1,", 100000), ",")\n'
BIG = 'let big = repeat("a", 10000000)\n'
DEEP = MANY + "let deep = reduce(take(many, 20000), (a, x) => [a], [])\n"
DEEP_OBJECT = MANY + "let deep = reduce(take(many, 20000), (a, x) => { a: a }, {})\n"
TEXT = 'let t = repeat("a", 30000) + "!"\n'


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(ServiceConfig(timeout=2.5, memory=100 << 20, workers=1))
    yield service
    service.close()


def outcome(service: Service, text: str, data: str = "null", format_: str = "json") -> str:
    """`ok`, or the code of the failure."""
    try:
        service.ask_blocking("execute", transformation=text, data=data, input_format=format_, output_format="json")
    except RolltopError as error:
        return error.error_type
    return "ok"


def assert_works(service: Service) -> None:
    answer = service.ask_blocking(
        "execute", transformation="1 + 1", data="null", input_format="json", output_format="json"
    )
    assert answer["output"] == "2"


def attack(service: Service, text: str, data: str = "null", format_: str = "json") -> str:
    found = outcome(service, text, data, format_)
    assert_works(service)
    return found


ENDLESS = {
    "exponential recursion": "function F(n) { if (n < 2) n else F(n - 1) + F(n - 2) }\nF(60)",
    "loops in loops": MANY + "map(many, x => map(many, y => map(many, z => 1)))",
    "quadratic text": MANY + 'reduce(many, (a, x) => a + repeat("x", 1000), "") |> length',
    "quadratic objects": MANY + "reduce(zipWithIndex(many), (a, x) => { ...a, [toString(x)]: 1 }, {})",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_does_not_end_is_ended(service: Service, name: str) -> None:
    assert attack(service, ENDLESS[name]) in ("TIMEOUT", "EXECUTION_ERROR")


RECURSIVE = {
    "itself": "function F(x) { F(x) + 1 }\nF(1)",
    "each other": "function A(x) { B(x) + 1 }\nfunction B(x) { A(x) }\nA(1)",
    "a function of itself": "let f = g => g(g)\nf(f)",
    "through map": "function F(x) { map([x], y => F(y)) }\nF(1)",
    "through a sort key": "function F(x) { sortBy([2, 1], y => F(y)) }\nF(1)",
    "caught and called again": "function F(x) { try { F(x) } catch (e) { F(x) } }\nF(1)",
}


@pytest.mark.parametrize("name", RECURSIVE)
def test_endless_recursion_is_an_error_of_the_program(service: Service, name: str) -> None:
    assert attack(service, RECURSIVE[name]) == "EXECUTION_ERROR"


GREEDY = {
    "a long output": MANY + 'map(many, x => repeat("x", 10000))',
    "one text many times": BIG + MANY + "map(many, x => big)",
    "doubled text": MANY + 'reduce(take(many, 64), (a, x) => a + a, "x")',
    "doubled arrays": MANY + "reduce(take(many, 64), (a, x) => [...a, ...a], [1])",
    "shared parts": MANY + "reduce(take(many, 60), (a, x) => [a, a], [1])",
    "letters of a text": BIG + 'split(big, "")',
    "growing replacement": BIG + 'replace(big, "a", repeat("b", 100))',
    "growing encodings": BIG + "hexEncode(hexEncode(hexEncode(big)))",
    "all pairs": MANY + "crossJoin(many, many)",
    "all windows": MANY + "windowed(many, 50000)",
}


@pytest.mark.parametrize("name", GREEDY)
def test_what_takes_too_much_memory_is_refused(service: Service, name: str) -> None:
    assert attack(service, GREEDY[name]) in ("EXECUTION_ERROR", "TIMEOUT")  # a busy machine: whichever comes first


WIDE = [
    'repeat("x", 10 ** 12)',
    'repeat(repeat("x", 10000), 10000)',
    'pad("x", 10 ** 15, "y")',
    'padRight("x", 10 ** 15, "y")',
    "shiftLeft(1, 10 ** 12)",
    "roundToDecimalPlaces(1.5, 10 ** 12)",
    "renderEUNumber(1.5, 10 ** 9)",
    'formatNumber(1.5, repeat("#", 1000000))',
    'formatDate(now(), repeat("yyyy", 1000000))',
    'parseDate("1", repeat("y", 100000))',
    "generateUuidV7Batch(10 ** 9)",
    "generateRSAKeyPair(1000000)",
    "generateKey(10 ** 12)",
    "addDays(now(), 10 ** 18)",
    'prettyPrintJSON("[[1]]", 10 ** 12)',
    "debugPrint([[1]], 10 ** 12)",
    'toNumber(repeat("1", 1000000))',
    "fromCharCode(10 ** 18)",
    'parseQueryString(repeat("a=1&", 100000))',
    'setPath({}, repeat("a.", 100000) + "a", 1)',
]


@pytest.mark.parametrize("text", WIDE)
def test_absurd_sizes_are_refused_by_the_function_that_is_asked(service: Service, text: str) -> None:
    assert attack(service, text) == "EXECUTION_ERROR"


@pytest.mark.parametrize("text", ["10 ** 10 ** 10", "pow(10 ** 7, 10 ** 7)", "(0 - 10) ** 10 ** 9", "2 ** 5000 * 2"])
def test_numbers_beyond_doubles_are_infinite_at_once(service: Service, text: str) -> None:
    assert attack(service, text) == "ok"


PATTERNS = [
    "(a+)+$",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)*b",
    "(a?){50}a{50}",
    "((a*)*)*b",
    "(((((a+)+)+)+)+)+b",
    ".*.*.*.*.*.*.*.*b",
    "a*a*a*a*a*b",
    "(?:a{0,1000}){0,1000}b",
    "(?=(a+))a*b",
    "(a)\\\\1",
]
WITH_PATTERNS = [
    "matches(t, {})",
    "matchesWhole(t, {})",
    'replaceRegex(t, {}, "x")',
    "splitWithMatches(t, {})",
    "findAllMatches(t, {})",
    "analyzeString(t, {})",
    "regexGroups(t, {})",
    "regexNamedGroups(t, {})",
    "replaceWithFunction(t, {}, m => m)",
    'replace(t, [[{}, "x"]])',
    "yamlFilterByKeyPattern({{ [t]: 1 }}, {})",
    "yamlValidateKeyPattern({{ [t]: 1 }}, {})",
]


@pytest.mark.parametrize("call", WITH_PATTERNS)
def test_no_pattern_takes_long_in_any_function_that_takes_one(service: Service, call: str) -> None:
    parts = [call.format(f'"{pattern}"') for pattern in PATTERNS]
    tried = ", ".join(f"try {{ {part}; 1 }} catch (e) {{ 2 }}" for part in parts)
    assert attack(service, f"{TEXT}sum([{tried}])") == "ok"


def test_every_function_that_takes_a_pattern_is_attacked() -> None:
    patterned = {f.name for f in functions() if any(p.name == "pattern" for p in f.signature.parameters)}
    known = {call.partition("(")[0] for call in WITH_PATTERNS}
    assert patterned - known == {"formatDate", "formatDateTimeInTimezone", "formatNumber", "parseDate", "validateDate"}


WALKERS = [
    "deep", "deep == [deep]", "toString(deep)", "renderJson(deep)", "renderYaml(deep)", "flattenDeep(deep)",
    "unique([deep, deep])", "deepClone(deep)", "treeDepth(deep)", "canonicalizeJSON(deep)", "contains([deep], deep)",
    "groupBy([deep], x => x)", "joinToString(deep)", 'coerce(deep, "string")', "sort([deep, deep])",
    "renderCsv([[deep]])",
]  # fmt: skip
OBJECT_WALKERS = [
    "renderXml(deep)", "deepMerge(deep, deep)", "diff(deep, {})", "treeMap(deep, x => x)", "debugPrint(deep)",
    "smartCoerce(deep)", 'getPath(deep, repeat("a.", 99999) + "a")', "treePaths(deep)", "yamlSort(deep, true)",
    'yamlFindByField(deep, "b")', "c14n(deep)", 'createJWT(deep, "secret")', "createSOAPEnvelope(deep)",
]  # fmt: skip


@pytest.mark.parametrize(
    "text", [*(DEEP + walk for walk in WALKERS), *(DEEP_OBJECT + walk for walk in OBJECT_WALKERS)],
    ids=[*WALKERS, *OBJECT_WALKERS],
)  # fmt: skip
def test_values_that_nest_without_end_are_answered_or_refused(service: Service, text: str) -> None:
    assert attack(service, text) in ("ok", "EXECUTION_ERROR")


SECRETS = [
    'env("HOME")',
    'hasEnv("HOME")',
    'envOrDefault("HOME", 1)',
    "envAll()",
    'systemProperty("user.home")',
    "systemPropertiesAll()",
    "currentDir()",
    "username()",
    "tempDir()",
    "runtimeInfo()",
    'c14nSubset("<a/>", "document(\'/etc/passwd\')")',
    "parseXml('<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>')",
    "parseYaml(\"!!python/object/apply:os.system ['true']\")",
]


@pytest.mark.parametrize("text", SECRETS)
def test_nothing_of_the_machine_can_be_read(service: Service, text: str) -> None:
    assert attack(service, text) == "EXECUTION_ERROR"


MORE_DATA: dict[str, tuple[str, str]] = {
    "many columns": ("csv", ",".join(["a"] * 1_000_000)),
    "quotes without end": ("csv", '"' * 1_000_001),
    "one endless cell": ("csv", '"' + "a" * 5_000_000),
    "many attributes": ("xml", "<a " + " ".join(f'a{n}="1"' for n in range(100_000)) + "/>"),
    "one key many times": ("json", "{" + '"a":1,' * 500_000 + '"a":1}'),
    "half a document": ("json", '{"a": [1, 2'),
    "half a surrogate": ("json", '"\\ud800"'),
    "merged without end": ("yaml", "a: &a {<<: *a}\n"),
    "many anchors": ("yaml", "\n".join(f"a{n}: &x{n} 1" for n in range(30_000))),
    "digits in xml": ("xml", "<a>" + "9" * 1_000_000 + "</a>"),
    "digits in csv": ("csv", "a\n" + "9" * 1_000_000),
    "zeroes before nothing": ("csv", "a\n" + "0" * 1_000_000 + ".0"),
}


@pytest.mark.parametrize("name", [*HOSTILE, *MORE_DATA])
def test_hostile_data_harms_no_later_call(service: Service, name: str) -> None:
    format_, data = HOSTILE[name] if name in HOSTILE else MORE_DATA[name]
    found = attack(service, "count($input) ?? 0", data, format_)
    assert found in ("ok", "PARSE_ERROR", "EXECUTION_ERROR", "TIMEOUT")
    assert found != "ok" or name in MORE_DATA


AMPLIFIED = {
    "a gzip in a gzip": 'gunzip(gunzip(gzip(gzip(repeat("a", 16000000)))))',
    "many gzips": 'map([1, 2, 3, 4, 5, 6, 7, 8], x => gunzip(gzip(repeat("a", 16000000))))',
    "a zip of texts": 'unzipArchive(zipArchive({ a: repeat("a", 16000000), b: repeat("a", 16000000) }))',
}


@pytest.mark.parametrize("name", AMPLIFIED)
def test_small_data_that_unpacks_to_much_is_refused(service: Service, name: str) -> None:
    assert attack(service, AMPLIFIED[name]) in ("EXECUTION_ERROR", "TIMEOUT")


@pytest.mark.parametrize("job", ["describe", "validate", "infer"])
@pytest.mark.parametrize("text", ["[" * 1_000_000, "((((" * 100_000, '"' * 100_001, "/*" * 100_000, "-" * 300_000])
def test_the_other_jobs_survive_too(service: Service, job: str, text: str) -> None:
    arguments: dict[str, Any] = {
        "describe": {"source": text, "source_format": "json"},
        "validate": {"transformation": text},
        "infer": {"transformation": text, "input_schema": {}},
    }
    with contextlib.suppress(RolltopError):
        service.ask_blocking(job, **arguments[job])
    assert_works(service)


def test_time_and_memory_are_what_the_settings_say() -> None:
    program = 'length(reduce([1, 2, 3, 4], (a, x) => a + repeat("x", 10000000), ""))'
    for memory, found in ((32 << 20, "EXECUTION_ERROR"), (256 << 20, "ok")):
        service = Service(ServiceConfig(timeout=10, memory=memory, workers=1))
        assert outcome(service, program) == found
        service.close()
    service = Service(ServiceConfig(timeout=0.2, memory=100 << 20, workers=1))
    assert attack(service, ENDLESS["exponential recursion"]) == "TIMEOUT"
    service.close()
