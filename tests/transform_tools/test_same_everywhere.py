"""What a program gives does not depend on where it runs: in this process, by the tool, by the daemon."""

from __future__ import annotations

import encodings
import json
import pkgutil
import subprocess
import sys
import urllib.error
import urllib.request
import zoneinfo
from collections.abc import Iterator
from typing import Any

import pytest

from rolltop.errors import RolltopError
from rolltop.transform import Document, compile_program
from rolltop.transform.service import Service, ServiceConfig
from rolltop.transform.stdlib import functions
from rolltop.transform.stdlib.zone_files import data_file

EXAMPLES = [(code, expected) for declared in functions() for code, expected in declared.examples]
Outcome = tuple[str, str]
"""`output` with the text of the result, or `error` with the message."""


def in_this_process(code: str, data: str = "{}") -> Outcome:
    try:
        program = compile_program(code, inputs={"input": "json"}, output_format="json")
        return "output", program.run({"input": Document(data)}).text
    except RolltopError as error:
        return "error", error.message


def differences(elsewhere: dict[str, Outcome]) -> list[str]:
    """Examples that are not the same there; what is random or a clock reading is as its own text says."""
    different = []
    for code, expected in EXAMPLES:
        found = elsewhere[code]
        if found == in_this_process(code):
            continue
        if expected.startswith("error:"):
            holds = found[0] == "error" and expected.removeprefix("error:").strip() in found[1]
        else:
            holds = found == in_this_process(expected)
        if not holds:
            different.append(f"{code}: {found}, here {in_this_process(code)}")
    return different


def request_of(code: str, data: str = "{}") -> dict[str, Any]:
    return {"transformation": code, "inputData": data, "inputFormat": "json", "outputFormat": "json"}


@pytest.mark.anyio
async def test_every_documented_example_by_the_tool(stdio_client: Any) -> None:
    outcomes: dict[str, Outcome] = {}
    async with stdio_client("--toolsets", "transform") as client:
        for code, _ in EXAMPLES:
            answer = (await client.call_tool("execute_transformation", request_of(code))).structured_content
            outcomes[code] = (
                ("output", answer["data"]["output"]) if "data" in answer else ("error", answer["error"]["message"])
            )
    assert differences(outcomes) == []


def test_every_documented_example_by_the_daemon(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "rolltop", "daemon", "--port", "0", "--no-token"]
    outcomes: dict[str, Outcome] = {}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            url = process.stderr.readline().split()[-1]
            for code, _ in EXAMPLES:
                request = {"transformation": code, "input": "{}", "inputFormat": "json", "outputFormat": "json"}
                outcomes[code] = posted(f"{url}/api/execute", request)
        finally:
            process.terminate()
    assert differences(outcomes) == []


def posted(url: str, body: dict[str, Any]) -> Outcome:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return "output", json.loads(answer.read())["data"]["output"]
    except urllib.error.HTTPError as error:
        with error:
            return "error", json.loads(error.read())["error"]["message"]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(ServiceConfig(timeout=60, memory=400 << 20, workers=1))
    yield service
    service.close()


def in_a_worker(service: Service, code: str, data: str) -> Outcome:
    asked = service.ask_blocking("execute", transformation=code, data=data, input_format="json", output_format="json")
    return "output", asked["output"]


def test_every_zone(service: Service) -> None:
    data = json.dumps(
        [*sorted(zoneinfo.available_timezones()), "posixrules", "Europe", "Mars/Olympus", "../../etc", ""]
    )
    moments = '["1900-01-01T00:00:00Z", "1995-07-01T12:00:00Z", "2024-01-01T12:00:00Z", "2055-07-01T12:00:00Z"]'
    code = f"$input |> map(z => if (isValidTimezone(z)) ({moments} |> map(m => toString(fromUTC(m, z)))) else z)"
    assert in_a_worker(service, code, data) == in_this_process(code, data)


def test_every_encoding(service: Service) -> None:
    names = sorted({*(found.name for found in pkgutil.iter_modules(encodings.__path__)), *encodings.aliases.aliases})
    data = json.dumps([*names, *(name.replace("_", "-") for name in names), "IBM037", "no such"])
    code = '$input |> map(e => try { toHex(toBinary("a", e)) } catch (problem) { validateEncoding(e) })'
    assert in_a_worker(service, code, data) == in_this_process(code, data)


def test_locales_of_every_kind(service: Service) -> None:
    localedata = pytest.importorskip("babel.localedata")
    names = sorted(localedata.locale_identifiers())
    data = json.dumps([*names[::9], "uk", "ru", "ar", "zh_Hant_HK", "pt-BR", "sr_Latn_RS", "de_de", "zz", "../de", ""])
    code = """$input |> map(l => try { [
        formatDate("2024-05-31T10:30:00Z", "FULL", l), formatCurrency(-1234567.5, "EUR", l), parseCurrency("1.234", l)
    ] } catch (problem) { "none" })"""
    assert in_a_worker(service, code, data) == in_this_process(code, data)


@pytest.mark.parametrize(
    "name",
    ["zone/../../../etc/passwd", "zone//etc/passwd", "zone/", "locale/../global", "locale//etc/passwd", "locale/",
     "locale/de.dat", "", "passwd", "/etc/passwd", "zone/Europe/../Europe/Paris", "zone/a\0b", "zone/zone.tab"],
)  # fmt: skip
def test_nothing_but_zones_and_locales_is_given_out(name: str) -> None:
    assert data_file(name) is None


def test_zones_and_locales_are_given_out() -> None:
    pytest.importorskip("babel")
    assert (data_file("zone/Europe/Paris") or b"").startswith(b"TZif")
    assert data_file("locale/de")
    assert data_file("locale/qq") is None
