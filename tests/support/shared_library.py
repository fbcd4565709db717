"""Several servers of one library, as processes on several hosts would have it: each with a directory of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cluster_servers import PostgresServer, S3Server

from rolltop.store import Library, Options
from rolltop.store.blobs.packs import PackDirectory
from rolltop.store.catalog import SqliteCatalog
from rolltop.store.replication import Shared
from rolltop.store.replication.postgres_lease import PostgresLease
from rolltop.store.replication.s3 import S3Objects

__all__ = ["Desk"]

_LOCKS = ("writer.lock", "reading.lock", "purging.lock")


class Desk:
    """One library: `server("a")` opens it as a server with that name, `alone()` as the embedded one."""

    def __init__(self, place: Path, postgres: PostgresServer, s3: S3Server) -> None:
        self._place = place
        self._database = postgres.make_database()
        self._bucket = s3.make_prefix()
        self._options = {key.lower(): value for key, value in s3.environment().items() if key != "AWS_ALLOW_HTTP"}
        self._truth = place / "truth"
        (self._truth).mkdir(parents=True)
        for name in _LOCKS:
            (self._truth / name).touch()

    def shared(self) -> Shared:
        return Shared(S3Objects(self._bucket, self._options), PostgresLease(self._database, "indexes"))

    def objects(self) -> S3Objects:
        return S3Objects(self._bucket, self._options)

    @contextlib.contextmanager
    def server(self, name: str, *, background: bool = True) -> Iterator[Library]:
        """The library as one server has it."""
        place = self._place / name
        place.mkdir(exist_ok=True)
        for lock in _LOCKS:
            with contextlib.suppress(FileExistsError):
                (place / lock).hardlink_to(self._truth / lock)
        library = Library(
            place,
            Options(background=background),
            catalog=SqliteCatalog(self._truth / "catalog.db"),
            blobs=PackDirectory(self._truth / "packs"),
            shared=self.shared(),
        )
        with library:
            yield library
