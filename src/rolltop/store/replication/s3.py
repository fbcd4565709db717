"""Objects in S3 or in any store that speaks its protocol with conditional puts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store

from rolltop.errors import NotFound
from rolltop.store.replication.objects import Listed

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

__all__ = ["S3Objects"]

_PAGE = 1000

_TIMEOUTS: ClientConfig = {"connect_timeout": "5s", "timeout": "60s"}
_RETRY: RetryConfig = {"max_retries": 4, "retry_timeout": timedelta(seconds=20)}
"""The background gives up soon and tries again later; nobody waits for it."""


class S3Objects:
    """An `ObjectStore` at `s3://bucket/prefix`; `options` are those of obstore (endpoint, keys, region)."""

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        client: ClientConfig = {"allow_http": options.get("aws_endpoint_url", "").startswith("http://"), **_TIMEOUTS}
        self._store = S3Store.from_url(url, config=dict(options), client_options=client, retry_config=_RETRY)  # type: ignore[arg-type]

    def put(self, key: str, data: bytes) -> bool:
        try:
            obstore.put(self._store, key, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        return True

    def get(self, key: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            raise NotFound(f"there is no object {key}") from None

    def list(self, prefix: str, after: str = "") -> Iterator[Listed]:
        found = [
            Listed(each["path"], each["size"], each["last_modified"].timestamp())
            for page in obstore.list(self._store, prefix, offset=after or None, chunk_size=_PAGE)
            for each in page
        ]
        return iter(sorted(found))

    def delete(self, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _PAGE):
            obstore.delete(self._store, list(keys[start : start + _PAGE]))
