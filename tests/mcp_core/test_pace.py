"""How many calls a caller may make."""

from __future__ import annotations

import asyncio

from mcp_core.limits import MOST_CALLERS, Pace, Shares


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


def test_a_share_runs_so_many_calls_at_a_time_and_others_are_not_held_up() -> None:
    async def scene() -> list[str]:
        shares, events = Shares(calls=2, bytes_per_day=0), []
        release = asyncio.Event()

        async def call(share: str | None, name: str) -> None:
            async with shares.turn(share):
                events.append(f"{name} began")
                if share == "anna":
                    await release.wait()

        tasks = [asyncio.create_task(call("anna", f"anna {number}")) for number in range(4)]
        await asyncio.create_task(call("ben", "ben"))
        await call(None, "owner")
        first = list(events)
        tasks[3].cancel()
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not shares._turns  # nothing is kept for those who have left
        return [*first, *events[4:]]

    assert asyncio.run(scene()) == ["anna 0 began", "anna 1 began", "ben began", "owner began", "anna 2 began"]


def test_bytes_of_a_day_are_counted_for_each() -> None:
    shares = Shares(calls=0, bytes_per_day=1000)
    assert shares.wait_for_bytes("anna", 900) == 0
    assert shares.wait_for_bytes("anna", 900) > 3600
    assert shares.wait_for_bytes("ben", 900) == 0
