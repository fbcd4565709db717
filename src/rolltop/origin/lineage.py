"""Follow origins: what a thing was made from, what was made of it, and what is out of date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rolltop.origin.ledger import Origins
from rolltop.origin.records import Making, Part

__all__ = ["Lineage", "Stale", "differences", "lineage", "stale_makings"]

MOST = 500
"""Makings in one lineage; beyond them it is cut, and says so."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """A thing with the makings before and after it. `makings` are by number."""

    thing: Part
    made_by: int | None
    """The making that made it; None for what nobody made here."""
    makings: Mapping[int, Making]
    sources: Mapping[tuple[int, int], int]
    """For an input (making, place): the making it came from."""
    used_by: tuple[int, ...]
    """Makings that used the thing itself, and then what came of those."""
    complete: bool = True


def lineage(origins: Origins, thing: Part) -> Lineage:
    """Everything that led to `thing`, and everything that was made of it."""
    known: dict[int, Making] = {}
    sources: dict[tuple[int, int], int] = {}
    first = _maker(origins, thing)
    waiting = [first] if first else []
    while waiting and len(known) < MOST:
        making = waiting.pop()
        if making.id in known:
            continue
        known[making.id] = making
        for place, part in enumerate(making.inputs):
            before = _maker(origins, part)
            if before is not None and before.id < making.id:
                sources[making.id, place] = before.id
                waiting.append(before)
    complete = not waiting
    used: dict[int, Making] = {}
    hashes = [thing.hash]
    while hashes and len(used) < MOST:
        for making in origins.used(hashes.pop()):
            if making.id not in used:
                used[making.id] = making
                hashes += [part.hash for part in making.outputs]
    return Lineage(
        thing, first.id if first else None, {**used, **known}, sources, tuple(sorted(used)), complete and not hashes
    )


def _maker(origins: Origins, part: Part) -> Making | None:
    """The newest making of this very content, of that URI if there is one."""
    at = origins.made(uri=part.uri) if part.uri else None
    if at is not None and any(each.hash == part.hash and each.uri == part.uri for each in at.outputs):
        return at
    return origins.made(digest=part.hash)


@dataclass(frozen=True, slots=True)
class Stale:
    """A making whose inputs are other ones now."""

    making: Making
    changed: tuple[str, ...] = ()
    """URIs of inputs with other bytes."""
    missing: tuple[str, ...] = ()
    """URIs of inputs that are gone."""
    after: tuple[str, ...] = ()
    """URIs of inputs that are stale themselves."""

    @property
    def reason(self) -> str:
        said = [f"{uri} changed" for uri in self.changed]
        said += [f"{uri} is gone" for uri in self.missing]
        said += [f"{uri} is stale" for uri in self.after]
        return ", ".join(said)


@dataclass(slots=True)
class _Walk:
    current: Mapping[str, str | None]
    by_output: Mapping[str, Making]
    stale: dict[int, Stale | None] = field(default_factory=dict)
    order: list[Stale] = field(default_factory=list)

    def look(self, making: Making, path: tuple[int, ...] = ()) -> Stale | None:
        if making.id in self.stale:
            return self.stale[making.id]
        if making.id in path:
            return None  # a thing that was made from an earlier state of itself
        changed, missing, after = [], [], []
        for part in making.inputs:
            if not part.uri:
                continue
            before = self.by_output.get(part.uri)
            if before is not None and before.id != making.id and self.look(before, (*path, making.id)) is not None:
                after.append(part.uri)
                continue
            now = self.current.get(part.uri)
            if now is None:
                missing.append(part.uri)
            elif now != part.hash:
                changed.append(part.uri)
        found = Stale(making, *map(tuple, (changed, missing, after))) if changed or missing or after else None
        self.stale[making.id] = found
        if found is not None:
            self.order.append(found)
        return found


def stale_makings(makings: Sequence[Making], current: Mapping[str, str | None]) -> list[Stale]:
    """What is out of date among the newest makings, in the order in which it has to be made again.

    `current` has the hash that each URI has now, None for what is gone. A making whose outputs are all gone, or were
    replaced by something else, is left out.
    """
    standing = [making for making in makings if any(current.get(part.uri) == part.hash for part in making.outputs)]
    walk = _Walk(current, {part.uri: making for making in standing for part in making.outputs})
    for making in standing:
        walk.look(making)
    return walk.order


def differences(old: Making, new: Making) -> list[str]:
    """What two makings of one thing differ in, in words."""
    found = []
    for part in new.inputs:
        before = next((each for each in old.inputs if (each.role, each.uri) == (part.role, part.uri)), None)
        if before is None:
            found.append(f"{part.role} {part.label} is new")
        elif before.hash != part.hash:
            found.append(f"{part.role} {part.label}: {before.hash[:12]} is now {part.hash[:12]}")
    there = {(part.role, part.uri) for part in new.inputs}
    found += [f"{part.role} {part.label} is gone" for part in old.inputs if (part.role, part.uri) not in there]
    for name in sorted({*old.versions, *new.versions}):
        was, now = old.versions.get(name, "absent"), new.versions.get(name, "absent")
        if was != now:
            found.append(f"engine {name}: {was} is now {now}")
    return found
