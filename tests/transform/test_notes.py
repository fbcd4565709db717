"""What a program logs and times belongs to its run, in every engine and in the workers of the service."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest

from rolltop.errors import RolltopError
from rolltop.transform import Document, compile_program
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.service import Service, ServiceConfig
from rolltop.transform.service.execute import execute
from rolltop.transform.stdlib import Host, installed
from rolltop.transform.stdlib.host import host, of_one_run
from rolltop.transform.stream import plan_of, stream

LEAVE = """{
    a: log("secret"), b: timerStart("mine"), c: setLogLevel("TRACE"), d: setConsoleLogging(false),
    e: logCount(), f: timerList(), g: isDebugMode()
}"""
LOOK = """{ logs: getLogs(), count: logCount(), timers: timerList(), debug: isDebugMode(), low: length(debug("x")),
    after: logCount() }"""
NOTHING = {"logs": [], "count": 0, "timers": [], "debug": False, "low": 1, "after": 0}


def run(code: str, data: str = "{}") -> object:
    program = compile_program(code, inputs={"input": "json"}, output_format="json")
    return json.loads(program.run({"input": Document(data)}).text)


def test_a_run_sees_its_own_notes_and_no_others() -> None:
    for _ in range(2):
        left = run(LEAVE)
        assert (left["e"], left["f"], left["g"]) == (1, ["mine"], True)  # type: ignore[index]
        assert run(LOOK) == NOTHING


def test_one_program_run_often_begins_anew_each_time() -> None:
    program = compile_program('let x = info("note") {n: logCount(), t: timerList(), s: timerStart("a"), v: $input.v}')
    for at in range(60):  # the evaluator first, then each kind of generated code
        made = json.loads(program.apply(json.dumps({"v": at, "long": "x" * 2000})))
        assert made == {"n": 1, "t": [], "s": "a", "v": at}


def test_an_engine_that_gives_up_leaves_no_notes_to_the_next() -> None:
    program = compile_program('let x = log("note") {n: logCount(), v: $input |> map(r => r.v)}')
    assert program.compiled is not None
    for data in ({"v": 1}, "no object", [{"v": 1}, 2]):
        with of_one_run():
            try:
                assert program.compiled.run({"input": data})["n"] == 1
            except EvaluationFailure:
                assert host().session.entries[0]["message"] == "note"
                assert len(host().session.entries) == 1


def test_what_only_looks_like_a_note_takes_the_fast_ways() -> None:
    assert compile_program("{ a: $input.info, b: $input.error.log, logs: 1 }").runs_whole is False
    assert compile_program("$input |> map(log)").runs_whole is True


def test_a_stream_leaves_nothing() -> None:
    program = compile_program("%utlx 1.0\ninput json\noutput json\n---\n$input |> map(x => log(x.v))")
    written: list[bytes] = []
    stream(program, plan_of(program.parsed.program), io.BytesIO(b'[{"v": 1}, {"v": 2}]'), written.append, {})
    assert json.loads(b"".join(written)) == [1, 2]
    assert run(LOOK) == NOTHING


def test_a_host_that_the_caller_installs_keeps_them() -> None:
    with installed(Host(log=lambda level, message: None)):
        run('log("mine")')
        assert run("logCount()") == 1


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(ServiceConfig(workers=1))
    yield service
    service.close()


def test_a_call_of_the_service_sees_nothing_of_earlier_ones(service: Service) -> None:
    arguments = {"data": "{}", "input_format": "json", "output_format": "json"}
    for _ in range(15):  # the same worker, with the evaluator and with generated code
        service.ask_blocking("execute", transformation=LEAVE, **arguments)
        answer = service.ask_blocking("execute", transformation=LOOK, **arguments)
        assert json.loads(answer["output"]) == NOTHING
        failing = 'let x = log("secret") in let y = timerStart("mine") in 1 + {}.a.b.c()'
        with pytest.raises(Exception, match=r"."):
            service.ask_blocking("execute", transformation=failing, **arguments)


def test_what_a_program_logs_is_in_the_answer_at_every_level() -> None:
    answer = execute('trace("seen", $input.a) + log(1, "one")', '{"a": 2}', "json", "json")
    assert answer["logs"] == [{"level": "TRACE", "message": "seen: 2"}, {"level": "INFO", "message": "one: 1"}]
    assert "logs" not in execute("$input.a", '{"a": 2}', "json", "json")


def test_what_was_logged_before_a_failure_is_in_the_error() -> None:
    with pytest.raises(RolltopError) as failed:
        execute('log($input.a, "a") / 0', '{"a": 2}', "json", "json")
    assert failed.value.details["logs"] == [{"level": "INFO", "message": "a: 2"}]
