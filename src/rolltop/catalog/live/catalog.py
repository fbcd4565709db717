"""`Catalog`: the tools that a workspace serves, and calling them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rolltop.base.atomic_files import write_file
from rolltop.catalog.arguments import check_arguments, invalid_arguments, served_schema
from rolltop.catalog.definition import Definition
from rolltop.catalog.library import Broken, FileStamp, file_stamp, locate, read_all
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.author_session import call_in_session, is_open
from rolltop.catalog.live.code_stamp import CodeStamp, code_stamp
from rolltop.catalog.live.configuration import CatalogSettings
from rolltop.catalog.live.http_tools import call_operation
from rolltop.catalog.live.input_files import InputFiles
from rolltop.catalog.live.origin import Origin, origin_of
from rolltop.catalog.live.sessions import Sessions
from rolltop.catalog.live.stateless_calls import StatelessCalls
from rolltop.catalog.openapi import operations_in
from rolltop.catalog.sources import source_tree
from rolltop.confine import Limits
from rolltop.errors import Conflict, InvalidData, InvalidInput, NotFound, PermissionDenied, RolltopError

__all__ = ["Catalog", "Served"]

logger = logging.getLogger("rolltop.catalog")

_LONGEST_KEY = 1000


@dataclass(frozen=True, slots=True)
class Served:
    """A definition, the code behind it, and the place it was read from."""

    definition: Definition
    origin: Origin
    place: str
    tools: Path

    @property
    def path(self) -> Path:
        """The file of the definition."""
        return self.tools / self.definition.file_name


class Catalog:
    """Safe to use from several threads. `attachments` is the file that keeps what was attached at run time."""

    def __init__(self, settings: CatalogSettings, attachments: Path | None = None) -> None:
        self.settings = settings
        self.inputs = InputFiles()
        """Documents that calls are given as files."""
        self._attachments = attachments
        self._lock = threading.RLock()
        self._reloading = threading.Lock()
        self._tools: dict[str, Served] = {}
        self._outdated: dict[str, str] = {}
        """Tools whose definitions are not the ones that were attached, with their place."""
        self._origins: dict[Path, Origin] = {}
        self._code: dict[Path, CodeStamp] = {}
        self._written: dict[Path, FileStamp | None] = {}
        self._writers = 0
        self._limits = limits = Limits(seconds=settings.seconds, memory=settings.memory << 20)
        self._sessions = Sessions(
            limits, rest=settings.state_seconds, most=settings.sessions, max_print=settings.max_print
        )
        self.reload()

    @property
    def places(self) -> tuple[str, ...]:
        """What is served: the settings' places, then those attached in earlier runs."""
        return tuple(dict.fromkeys((*self.settings.serve, *self._attached())))

    def directories(self) -> list[Path]:
        """Directories whose content decides what is served: definitions and the code behind them."""
        found: list[Path] = []
        for place in self.places:
            with contextlib.suppress(RolltopError):
                location = locate(place)
                found += [location.tools, location.origin]
        return found

    def folders(self, places: Iterable[str]) -> set[Path]:
        """Where the definitions of these places are, or will be once they are built."""
        found: set[Path] = set()
        for place in places:
            with contextlib.suppress(RolltopError):
                found.add(locate(place).tools)
        return found

    def reload(self) -> list[str]:
        """Read all definitions again, and name those that are other ones now, new or gone.

        A place that cannot be read is logged, and the others are served. A package whose definitions or code
        changed is loaded anew at its next call, and its state is lost: what a process holds of the old code need
        not fit the new.
        """
        with self._reloading:
            found: dict[str, Served] = {}
            outdated: dict[str, str] = {}
            pinned = self._attached()
            for place in self.places:
                there: dict[str, Served] = {}
                try:
                    for served in self._served_at(place):
                        _add(there, served)
                except RolltopError as error:
                    logger.warning("the catalog %s is not served: %s", place, error)
                pins = None if place in self.settings.serve else pinned.get(place)
                for name, served in there.items():
                    if pins is None or pins.get(name) == _digest(served.definition):
                        _add(found, served)
                    else:
                        outdated[name] = place
                        logger.warning("%s is not served: it changed since %s was attached", name, place)
            with self._lock:
                before, self._tools = self._tools, found
                self._outdated = outdated
            self._unload(self._changed_origins(before, found))
            return [name for name in {**before, **found} if _face(before.get(name)) != _face(found.get(name))]

    def tools(self) -> list[Served]:
        """Everything that can be called now."""
        with self._lock:
            return list(self._tools.values())

    def find(self, name: str) -> Served:
        with self._lock:
            served = self._tools.get(name)
            known = list(self._tools)
        if served is None:
            if (place := self._outdated.get(name)) is not None:
                raise PermissionDenied(
                    f"{name} is not the tool that was agreed to: its definition changed since it was attached",
                    code="definition_changed",
                    hint=f"Attach {place} again (mcptool_attach); the user is asked.",
                )
            hint = f"There are: {', '.join(known[:20])}." if known else "Attach a catalog first: mcptool_attach."
            raise NotFound(f"no catalog that is attached has a tool {name}", hint=hint)
        return served

    def offered(self, place: str) -> list[Served]:
        """The tools that a package or path would bring."""
        found = list(self._served_at(place))
        if not found:
            raise NotFound(
                f"{place} has no definitions",
                hint="Build them from the package's sources first: mcptool_build, `rolltop catalog build` in a shell.",
            )
        return found

    def attach(self, place: str, *, check: Callable[[list[Served]], None] | None = None) -> list[Served]:
        """Make the tools of a package or path callable, now and after the next start; `check` may refuse them."""
        found = self.offered(place)
        if check is not None:
            check(found)
        offered: dict[str, Served] = {}
        for served in found:
            _add(offered, served)
        added = list(offered.values())
        with self._lock:
            for served in added:
                other = self._tools.get(served.definition.name)
                if other is not None and other.origin.path != served.origin.path:
                    raise Conflict(f"{served.definition.name} is already served from {other.place}")
            self._tools |= offered
            for name in offered:
                self._outdated.pop(name, None)
        self._unload([added[0].origin] if self._has_other_code(added[0].origin) else [])
        self._remember(place, {name: _digest(served.definition) for name, served in offered.items()})
        return added

    def note_written(self, files: Iterable[Path]) -> list[str]:
        """Files that a caller changed through us: their new content is used for calls, but is no news.

        Gives the names of the tools that are other ones now.
        """
        with self._lock:
            self._written |= {file: file_stamp(file) for file in files}
        return self.reload()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """While a caller of ours writes definitions, nothing of it is news."""
        with self._lock:
            self._writers += 1
        try:
            yield
        finally:
            with self._lock:
                self._writers -= 1

    def is_news(self, file: Path, stamp: FileStamp | None) -> bool:
        """Whether a file is other than callers of ours left it."""
        with self._lock:
            if self._writers:
                return False
            return file not in self._written or self._written[file] != stamp

    def call(self, name: str, arguments: Mapping[str, Any], *, session: str | None = None) -> Answer:
        """Check the arguments and call the tool. `session` says whose state it sees; None: nobody's."""
        served = self.find(name)
        given, problems = check_arguments(served_schema(served.definition), arguments)
        if problems:
            raise invalid_arguments((problem.path, problem.message) for problem in problems)
        if served.definition.language == "openapi":
            return self._ask_service(served, given)
        for folder in self.settings.author_sessions.get(served.definition.package, ()):
            if served.definition.language == "r" and is_open(folder):
                seconds = served.origin.limited(self._limits).seconds
                return call_in_session(folder, served.definition.function, given, seconds, self.settings.max_print)
        return self._sessions.call(session or StatelessCalls.new_key(), served.origin, served.definition, given)

    def _ask_service(self, served: Served, arguments: Mapping[str, Any]) -> Answer:
        service = self.settings.services.get(served.definition.package)
        if service is None:
            raise InvalidInput(
                f"the address of {served.definition.package} is not set, so its tools cannot be called",
                hint=f"The owner of the server sets it: [catalog.services.{served.definition.package}] address = ...",
            )
        tree = source_tree(locate(served.place).origin)
        operations = {each.name: each for file in tree.openapi_files for each in operations_in(file, tree.root)}
        operation = operations.get(served.definition.function)
        if operation is None or set(arguments) - set(operation.places):
            raise NotFound(
                f"{served.definition.name} is not in its document any more", hint="Build the definitions again."
            )
        return call_operation(service, operation, arguments, self.settings.seconds)

    def code_hash(self, name: str) -> str:
        """Identifies the definition of a tool and the code behind it, by their content."""
        served = self.find(name)
        digest = hashlib.sha256(_digest(served.definition).encode())
        for file in sorted(code_stamp(served.origin)):
            with contextlib.suppress(OSError):
                digest.update(f"{file.relative_to(served.origin.path)}:".encode() + file.read_bytes())
        return digest.hexdigest()

    def new_call(self) -> str:
        """A session for one call of a caller that has none; by it the call can be ended."""
        return StatelessCalls.new_key()

    def open_state(self, initialize: Mapping[str, Any] | None = None) -> str:
        """A handle to a new state; R keeps what it has under names of variables, so these are the rules for keys."""
        for key in initialize or {}:
            if not key or "\0" in key or len(key.encode()) > _LONGEST_KEY:
                raise InvalidInput(
                    f"a key of the state is empty, has NUL in it, or is longer than {_LONGEST_KEY} bytes",
                    hint="Give every value a short name.",
                )
        return self._sessions.open_handle(initialize or {})

    def end_session(self, session: str) -> None:
        """End what a session runs; its state is lost."""
        self._sessions.end(session)

    def close(self) -> None:
        self._sessions.close()
        for origin in self._origins.values():
            origin.close()
        self.inputs.close()

    def _served_at(self, place: str) -> Iterator[Served]:
        location = locate(place)
        origin = self._origins.setdefault(location.origin, origin_of(location))
        granted = self.settings.grants_of(origin.package)
        origin.grants = replace(granted, mounts=(*granted.mounts, self.inputs.mount))
        if origin.path not in self._code:
            self._code[origin.path] = code_stamp(origin)
        items = list(read_all(location.tools, self.settings.groups or None))
        if not items and not self.settings.groups:
            logger.warning("the catalog %s has no definitions yet: build them with `rolltop catalog build`", place)
        for item in items:
            if isinstance(item, Broken):
                logger.warning("%s is not read: %s", item.path, item.error)
                # A file that is just being written looks broken: until it is whole, what it said before holds.
                yield from (known for known in self.tools() if known.path == item.path)
            else:
                yield Served(item, origin, place, location.tools)

    def _changed_origins(self, before: Mapping[str, Served], after: Mapping[str, Served]) -> list[Origin]:
        """The code that is other than it was, and that behind definitions that are gone or other ones now."""
        changed = {
            served.origin.path: served.origin
            for name, served in before.items()
            if name not in after or after[name].definition != served.definition
        }
        changed |= {origin.path: origin for origin in list(self._origins.values()) if self._has_other_code(origin)}
        return list(changed.values())

    def _has_other_code(self, origin: Origin) -> bool:
        """Whether the code changed since this was asked last."""
        before, self._code[origin.path] = self._code.get(origin.path), code_stamp(origin)
        return before != self._code[origin.path]

    def _unload(self, origins: Iterable[Origin]) -> None:
        for origin in origins:
            self._sessions.unload(origin.path)
            origin.close()

    def _attached(self) -> dict[str, dict[str, str] | None]:
        """The places that were attached, each with the digests of the definitions that were agreed to.

        A place that an earlier release attached has none; what it defines is taken as agreed to until it is attached
        again.
        """
        if self._attachments is None or not self._attachments.is_file():
            return {}
        try:
            document = json.loads(self._attachments.read_text("utf-8"))
            pins = document.get("pins", {})
            return {str(place): pins.get(place) for place in document["places"]}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InvalidData(
                f"{self._attachments} is damaged", hint="Remove it and attach the catalogs again."
            ) from None

    def _remember(self, place: str, digests: Mapping[str, str]) -> None:
        if self._attachments is None or place in self.settings.serve:
            return
        attached = {**self._attached(), place: dict(digests)}
        pins = {name: each for name, each in attached.items() if each is not None}
        text = json.dumps({"places": list(attached), "pins": pins}, indent=2) + "\n"
        write_file(self._attachments, text.encode("utf-8"))


def _digest(definition: Definition) -> str:
    """Identifies what a human agreed to when a catalog was attached."""
    said = json.dumps(replace(definition, execution_time=None).to_dict(), sort_keys=True, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _face(served: Served | None) -> Definition | None:
    """What callers see of a tool; that an example took another time is nothing."""
    return replace(served.definition, execution_time=None) if served else None


def _add(found: dict[str, Served], served: Served) -> None:
    """Serve the first of two tools of one name, and ask for approval if either of them does."""
    name = served.definition.name
    first = found.setdefault(name, served)
    if first is served:
        return
    logger.warning("%s of %s is not served: %s has a tool of that name", name, served.place, first.place)
    stricter = replace(
        first.definition,
        dangerous=first.definition.dangerous or served.definition.dangerous,
        requires_approval=first.definition.requires_approval or served.definition.requires_approval,
    )
    found[name] = replace(first, definition=stricter)
