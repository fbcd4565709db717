"""How many calls a caller may make."""

from __future__ import annotations

from mcp_core.limits import MOST_CALLERS, Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minutes_worth_may_come_at_once_and_then_no_more() -> None:
    clock = Clock()
    pace = Pace(60, clock)
    assert [pace.wait("a") for _ in range(60)] == [0.0] * 60
    assert pace.wait("a") == 1.0
    clock.now += 0.75
    assert pace.wait("a") == 0.25
    clock.now += 0.25
    assert pace.wait("a") == 0.0


def test_idling_saves_up_one_minute_and_not_more() -> None:
    clock = Clock()
    pace = Pace(2, clock)
    clock.now += 3600
    assert [pace.wait("a"), pace.wait("a")] == [0.0, 0.0]
    assert pace.wait("a") > 0


def test_one_callers_haste_is_not_anothers() -> None:
    pace = Pace(1, Clock())
    assert [pace.wait("a"), pace.wait("b")] == [0.0, 0.0]
    assert pace.wait("a") > 0


def test_many_callers_do_not_fill_the_memory() -> None:
    pace = Pace(1, Clock())
    for number in range(3 * MOST_CALLERS):
        pace.wait(str(number))
    assert len(pace._buckets) == MOST_CALLERS
