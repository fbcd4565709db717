"""Real PostgreSQL and real S3 (SeaweedFS) for tests: on free ports, ended with the process that started them.

`PostgresServer` and `S3Server` can be stopped, killed and started again on the same data, which the tests of faults do.
Tests that do not disturb them share one of each, through the fixtures `postgres` and `s3`.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import obstore
import psycopg
from conditions import wait_until
from obstore.exceptions import BaseError
from obstore.store import S3Store

__all__ = ["BUCKET", "PASSWORD", "SECRET_KEY", "PostgresServer", "S3Server", "free_ports", "started"]

PASSWORD = "not-to-be-shown"
ACCESS_KEY = "rolltop-tests"
SECRET_KEY = "also-not-to-be-shown"
BUCKET = "tests"

_WEED = str(Path(sys.executable).with_name("weed"))
_PORTS = [f"{part}.port{kind}" for part in ("s3", "master", "volume", "filer") for kind in ("", ".grpc")]

_AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups") if os.geteuid() == 0 else ()
_DIES_WITH_US = ("setpriv", "--pdeathsig=KILL")


def free_ports(count: int, host: str = "127.0.0.1") -> list[int]:
    """Ports that nobody listens on."""
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(contextlib.closing(socket.socket())) for _ in range(count)]
        for probe in probes:
            probe.bind((host, 0))
        return [probe.getsockname()[1] for probe in probes]


class _Server:
    """A process on data of its own. `within` is put before its command, as in `ip netns exec NAME`."""

    def __init__(self, host: str, within: Sequence[str]) -> None:
        self.host = host
        self._within = within
        self.directory = Path(tempfile.mkdtemp(prefix="rolltop-test-"))
        self._log = self.directory / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _is_ready(self) -> bool:
        raise NotImplementedError

    def start(self) -> None:
        """Start it on its data, and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*_DIES_WITH_US, *self._within, *self._command()], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_until(self._answers)

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"{type(self).__name__} ended: {self._log.read_text('utf-8', 'replace')[-2000:]}")
        return self._is_ready()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it with a signal, and wait until it is gone; its data stay."""
        if self._process is not None:
            children = _children(self.pid)
            self._process.send_signal(how)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
            for child in children:  # those of PostgreSQL outlive it for a moment, and its data are in use until then
                select.select([child], [], [], 60)
                os.close(child)

    def close(self) -> None:
        self.end()
        shutil.rmtree(self.directory, ignore_errors=True)


def _children(pid: int) -> list[int]:
    """A descriptor for each child of a process; it can be read when the child has ended."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            found.append(os.pidfd_open(int(child)))
    return found


class PostgresServer(_Server):
    """Debian's PostgreSQL; as root it runs as the user postgres. With `durable`, it syncs as in production."""

    def __init__(self, host: str = "127.0.0.1", within: Sequence[str] = (), *, durable: bool = False) -> None:
        super().__init__(host, within)
        self.port = free_ports(1)[0]
        self._durable = durable
        self._binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self._data = self.directory / "data"
        self._make()

    def _make(self) -> None:
        secret = self.directory / "password"
        secret.write_text(PASSWORD)
        if _AS_POSTGRES:
            owner = pwd.getpwnam("postgres")
            for each in (self.directory, secret):
                os.chown(each, owner.pw_uid, owner.pw_gid)
        options = ["--username=rolltop", "--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C"]
        subprocess.run(
            [*_AS_POSTGRES, str(self._binaries / "initdb"), "-D", str(self._data), "--no-sync", *options],
            check=True,
            capture_output=True,
        )

    def _command(self) -> list[str]:
        settings = [f"listen_addresses={self.host}", f"port={self.port}", "unix_socket_directories="]
        settings += ["max_connections=200", "shared_buffers=64MB"]
        settings += [] if self._durable else ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        # The credentials change after setpriv has set the signal of the parent's death, which clears it.
        again = ["setpriv", "--pdeathsig=KILL"] if _AS_POSTGRES else []
        options = [word for each in settings for word in ("-c", each)]
        return [*_AS_POSTGRES, *again, str(self._binaries / "postgres"), "-D", str(self._data), *options]

    def _is_ready(self) -> bool:
        asked = [str(self._binaries / "pg_isready"), "-q", "-h", self.host, "-p", str(self.port)]
        return subprocess.run([*self._within, *asked], check=False).returncode == 0

    def url(self, database: str, *, password: bool = True) -> str:
        secret = f":{PASSWORD}" if password else ""
        return f"postgresql://rolltop{secret}@{self.host}:{self.port}/{database}"

    def make_database(self) -> str:
        """A new, empty database: its URL."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


class S3Server(_Server):
    """SeaweedFS as one process; `environment()` is what a client of it needs."""

    def __init__(self, host: str = "127.0.0.1", within: Sequence[str] = ()) -> None:
        super().__init__(host, within)
        self._ports = dict(zip(_PORTS, free_ports(len(_PORTS)), strict=True))
        self.port = self._ports["s3.port"]
        self._config = self.directory / "s3.json"
        identity = {
            "name": "rolltop",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Admin", "Read", "List", "Tagging", "Write"],
        }
        self._config.write_text(json.dumps({"identities": [identity]}))

    def close(self) -> None:
        super().close()
        for port in self._ports.values():  # it makes these for local callers
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                left.unlink(missing_ok=True)

    @property
    def endpoint(self) -> str:
        return f"http://{self.host}:{self.port}"

    def _command(self) -> list[str]:
        (self.directory / "data").mkdir(exist_ok=True)
        ports = [f"-{name}={port}" for name, port in self._ports.items()] + ["-s3.port.iceberg=0", "-s3.port.lance=0"]
        ports += [f"-{part}.localSocket={self.directory / part}" for part in ("s3", "filer")]
        places = [f"-dir={self.directory / 'data'}", f"-ip={self.host}", f"-ip.bind={self.host}"]
        sizes = ["-volume.max=0", "-master.volumeSizeLimitMB=256", "-master.electionTimeout=1s"]
        return [_WEED, "server", *places, *ports, *sizes, "-s3", f"-s3.config={self._config}"]

    def _is_ready(self) -> bool:
        """Whether something can be put and read again; the first put makes the bucket."""
        try:
            obstore.put(self.client(), "ready", b"ready")
            obstore.get(self.client(), "ready").bytes()
        except BaseError:
            return False
        return True

    def client(self, prefix: str = "") -> S3Store:
        """A client of its own, for tests that look at what is there."""
        options = {key.lower(): value for key, value in self.environment().items() if key != "AWS_ALLOW_HTTP"}
        retry = {"max_retries": 0, "backoff": {"init_backoff": timedelta(0), "max_backoff": timedelta(0), "base": 2}}
        return S3Store.from_url(
            f"s3://{BUCKET}/{prefix}", config=options, client_options={"allow_http": True}, retry_config=retry
        )

    def environment(self) -> dict[str, str]:
        """The variables that a client reads its endpoint and keys from."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def make_prefix(self) -> str:
        """An empty place in the bucket: its URL."""
        return f"s3://{BUCKET}/{uuid.uuid4().hex}"


ServerT = TypeVar("ServerT", PostgresServer, S3Server)


@contextlib.contextmanager
def started(server: ServerT) -> Iterator[ServerT]:
    """The server, started for the block and removed after it with its data."""
    try:
        server.start()
        yield server
    finally:
        server.close()
