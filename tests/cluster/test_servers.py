"""The real servers that the tests of a cluster share."""

from __future__ import annotations

import signal

import obstore
import psycopg
import pytest
from cluster_servers import PostgresServer, S3Server, started
from obstore.exceptions import AlreadyExistsError


def test_a_database_of_ones_own(postgres: PostgresServer) -> None:
    with psycopg.connect(postgres.make_database()) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_s3_refuses_to_put_what_is_there(s3: S3Server) -> None:
    place = s3.client(s3.make_prefix().rpartition("/")[2])
    obstore.put(place, "a", b"first", mode="create")
    with pytest.raises(AlreadyExistsError):
        obstore.put(place, "a", b"second", mode="create")
    assert obstore.get_range(place, "a", start=1, length=3).to_bytes() == b"irs"


def test_killed_servers_come_back_with_their_data() -> None:
    with started(PostgresServer(durable=True)) as postgres, started(S3Server()) as s3:
        url, place = postgres.make_database(), s3.client()
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        obstore.put(place, "a", b"kept")
        for server in (postgres, s3):
            server.end(signal.SIGKILL)
            server.start()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT x FROM t").fetchone() == (1,)
        assert obstore.get(place, "a").bytes() == b"kept"
