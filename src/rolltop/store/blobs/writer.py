"""Turns content into objects and frames, inside one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from rolltop.errors import RolltopError
from rolltop.store.blobs import frames
from rolltop.store.blobs.chunking import SINGLE, cut
from rolltop.store.blobs.frame_check import Soundness
from rolltop.store.blobs.leaf_window import Bases, windows
from rolltop.store.blobs.reader import Reader
from rolltop.store.records import STRIDE, Frame, Mark, Object, Place
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Digests", "Kept", "Writer"]

FRAME_TARGET = 96 << 10
FEW_FRAMES = 4
"""Fewer small frames of one transaction are left as they are."""
MOST_HELD = 16 << 20
"""Bytes of small frames that are held until the transaction ends."""
SMALLEST_DELTA = 256
"""Content shorter than this is not worth a base."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An object that holds the content now, and how many bytes of it were new."""

    object: int
    digest: bytes
    size: int
    new_bytes: int


@dataclass(slots=True)
class _Open:
    """The frame that is being filled."""

    leaves: list[Object] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    length: int = 0


@dataclass(frozen=True, slots=True)
class _Appended:
    """A frame of this transaction; one that is small and has no base, with what is in it."""

    frame: Frame
    leaves: Sequence[Object] = ()
    pieces: Sequence[bytes] = ()


class _Leaves:
    """The leaves of an object that is being stored, and what every few of them hold."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.marks: list[Mark] = []

    def add(self, number: int, piece: bytes) -> None:
        if len(self.numbers) % STRIDE == 0:
            self.marks.append(Mark(0, 0))
        self.numbers.append(number)
        size, lines = self.marks[-1]
        self.marks[-1] = Mark(size + len(piece), lines + piece.count(b"\n"))


class Digests:
    """The beginnings of all hashes there are: a quick no to "is this content known" while much is stored."""

    def __init__(self) -> None:
        self.known: set[bytes] = set()
        self._last = 0

    def follow(self, catalog: Catalog) -> set[bytes]:
        """Learn what was stored since, by whichever process. Collected content may stay: that only costs a look."""
        rows = catalog.objects.digests(self._last)
        self.known.update(row[1] for row in rows)
        self._last = rows[-1][0] if rows else self._last
        return self.known


class Writer:
    """Appends to the pack and the catalogue. Nothing it did is visible before `finish` and the commit."""

    def __init__(self, catalog: Catalog, blobs: BlobStore) -> None:
        self.catalog = catalog
        self.written = 0
        self.digests: set[bytes] | None = None
        self._blobs = blobs
        self._resumed = False
        self._open = _Open()
        self._appended: list[_Appended] = []
        self._held = 0
        self._joins = True
        self._fresh: dict[bytes, int] = {}
        self._lists: list[Object] = []
        self._numbers: tuple[int, int] | None = None
        self._reader = Reader(catalog, blobs)
        self._sound = Soundness(catalog, blobs)
        self._lost: dict[bytes, int] = {}
        self._mended: set[int] = set()

    # content -------------------------------------------------------------------------------------

    def keep(self, data: bytes, *, like: int | None = None, digest: bytes | None = None) -> Kept:
        """The object with this content, stored if need be. `like` is the version before it."""
        digest = digest or sha256(data).digest()
        known = self._known(digest)
        if known is not None:
            return Kept(known, digest, len(data), 0)
        if len(data) <= SINGLE:
            return Kept(self._leaf(data, digest, self._base(like)), digest, len(data), len(data))
        return self._keep_list(data, digest, like)

    def _keep_list(self, data: bytes, digest: bytes, like: int | None) -> Kept:
        ends, aligned = cut(data)
        if len(ends) == 1:
            return Kept(self._leaf(data, digest, self._base(like)), digest, len(data), len(data))
        bases = Bases(self._leaves_of(like))
        leaves, start, new = _Leaves(), 0, 0
        for end in ends:
            piece = data[start:end]
            number, fresh = self._piece(piece, bases)
            leaves.add(number, piece)
            new += fresh
            start = end
        return Kept(self._list(digest, len(data), leaves, aligned), digest, len(data), new)

    def keep_stream(self, blocks: Iterable[bytes], *, like: int | None = None) -> Kept:
        """The same for content too large to hold: leaves are written as they come."""
        bases = Bases(self._leaves_of(like))
        whole, leaves, size, new, aligned, rest = sha256(), _Leaves(), 0, 0, True, b""
        for block in windows(blocks):
            whole.update(block.data)
            size += len(block.data)
            rest += block.data
            ends, on_lines = cut(rest)
            aligned = aligned and on_lines
            start = 0
            for end in ends if block.last else ends[:-1]:
                piece = rest[start:end]
                number, fresh = self._piece(piece, bases)
                leaves.add(number, piece)
                new += fresh
                start = end
            rest = rest[start:]
        digest = whole.digest()
        known = self._known(digest)
        if known is None:
            only = len(leaves.numbers) == 1
            known = leaves.numbers[0] if only else self._list(digest, size, leaves, aligned)
        return Kept(known, digest, size, new)

    def _piece(self, piece: bytes, bases: Bases) -> tuple[int, int]:
        """The leaf of a piece, and how many of its bytes are new."""
        digest = sha256(piece).digest()
        number = self._known(digest)
        if number is None:
            return self._leaf(piece, digest, bases.beside()), len(piece)
        bases.passed(number)
        return number, 0

    def _known(self, digest: bytes) -> int | None:
        found = self._fresh.get(digest)
        if found is not None or (self.digests is not None and digest[:8] not in self.digests):
            return found
        entry = self.catalog.objects.with_hash(digest)
        if entry is None or self._sound.holds(entry):
            return entry.id if entry else None
        # Content whose bytes are damaged is not there. It is stored again, under the number that documents know it by.
        self._lost[digest] = entry.id
        return None

    def _number_for(self, digest: bytes) -> int:
        lost = self._lost.pop(digest, None)
        if lost is None:
            return self._next_object()
        self._mended.add(lost)
        return lost

    def _list(self, digest: bytes, size: int, leaves: _Leaves, aligned: bool) -> int:
        number = self._number_for(digest)
        self._lists.append(Object(number, digest, size, None, 0, tuple(leaves.numbers), aligned, tuple(leaves.marks)))
        self._fresh[digest] = number
        return number

    def _leaf(self, data: bytes, digest: bytes, base: int | None) -> int:
        number = self._number_for(digest)
        self._fresh[digest] = number
        if number in self._mended:
            base = None  # the base may itself have been compressed against what was lost
        if base is not None and len(data) >= SMALLEST_DELTA and self._delta(number, data, digest, base):
            return number
        if not data:
            self._lists.append(Object(number, digest, 0, None))
            return number
        opened = self._open
        opened.leaves.append(Object(number, digest, len(data), self._frame_number(), opened.length))
        opened.pieces.append(data)
        opened.length += len(data)
        if data[-1] != 10:
            opened.pieces.append(b"\n")
            opened.length += 1
        if opened.length >= FRAME_TARGET:
            self._close_frame()
        return number

    # bases ---------------------------------------------------------------------------------------

    def _base(self, like: int | None) -> int | None:
        leaves = self._leaves_of(like)
        return leaves[0] if len(leaves) == 1 else None

    def _leaves_of(self, like: int | None) -> tuple[int, ...]:
        if like is None:
            return ()
        self._close_frame()
        found = self.catalog.objects.get(like)
        if found is None or found.size == 0:
            return ()
        return found.parts if found.parts is not None else (found.id,)

    def _delta(self, number: int, data: bytes, digest: bytes, base: int) -> bool:
        """Store against the base, if it has not too many bases itself and it saves something."""
        self._close_frame()
        leaf = self.catalog.objects.get(base)
        frame = self.catalog.objects.frame(leaf.frame) if leaf and leaf.frame else None
        if leaf is None or frame is None or frame.depth >= frames.MAX_DEPTH:
            return False
        frame_number = self._frame_number()
        try:
            encoded = frames.encode(frame_number, data, 1, self._reader.leaf(leaf))
        except (RolltopError, OSError):
            return False  # that the version before is damaged is no reason not to keep this one
        if len(encoded) - frames.HEADER > len(data) // 4:
            return False
        self._add_frame(encoded, len(data), base, frame.depth + 1)
        self.catalog.objects.add([Object(number, digest, len(data), frame_number, 0)])
        return True

    # frames --------------------------------------------------------------------------------------

    def _next_object(self) -> int:
        objects, frame = self._numbers or self.catalog.objects.next_numbers()
        self._numbers = (objects + 1, frame)
        return objects

    def _frame_number(self) -> int:
        if self._numbers is None:
            self._numbers = self.catalog.objects.next_numbers()
        return self._numbers[1]

    def _close_frame(self) -> None:
        opened = self._open
        if opened.leaves:
            raw = b"".join(opened.pieces)
            self._add_frame(frames.encode(self._frame_number(), raw, len(opened.leaves)), len(raw), None, 0)
            if len(raw) < FRAME_TARGET // 2 and self._held + len(raw) <= MOST_HELD:
                self._held += len(raw)
                self._appended[-1] = _Appended(self._appended[-1].frame, opened.leaves, opened.pieces)
            self._enter(opened.leaves)
            self._open = _Open()
        if self._lists:
            self._enter(self._lists)
            self._lists = []

    def _enter(self, objects: list[Object]) -> None:
        """Rows for objects; those that have one already, and whose bytes were lost, lie elsewhere now."""
        again = [entry for entry in objects if entry.id in self._mended] if self._mended else []
        self.catalog.objects.add([entry for entry in objects if entry.id not in self._mended] if again else objects)
        if again:
            self.catalog.objects.replace(again)
            self.catalog.objects.next_epoch()

    def _add_frame(self, encoded: bytes, raw: int, base: int | None, depth: int) -> None:
        self._resume()
        number = self._frame_number()
        frame = Frame(number, self._append(encoded), raw, base, depth)
        self.catalog.objects.add_frame(frame)
        self._appended.append(_Appended(frame))
        assert self._numbers is not None
        self._numbers = (self._numbers[0], number + 1)
        self.written += len(encoded)

    def _append(self, data: bytes) -> Place:
        """Write bytes. A transaction may fill any number of packs: the catalogue learns of each that is full."""
        before = self._blobs.position()
        place = self._blobs.append(data)
        if place.pack != before[0]:
            self.catalog.objects.set_pack(*before)
        return place

    def _resume(self) -> None:
        if not self._resumed:
            self._blobs.resume(*self.catalog.objects.tail())
            self._resumed = True

    # collection ----------------------------------------------------------------------------------

    def move_in(self, leaves: Iterable[tuple[Object, bytes]], *, target: int) -> None:
        """Compress leaves that live in frames about to go into new frames."""
        group: list[tuple[Object, bytes]] = []
        for leaf, data in leaves:
            group.append((leaf, data))
            if sum(len(content) for _, content in group) >= target:
                self._move_group(group)
                group = []
        if group:
            self._move_group(group)

    def _move_group(self, group: list[tuple[Object, bytes]]) -> None:
        number, raw = self._frame_number(), bytearray()
        for leaf, data in group:
            self.catalog.objects.move(leaf.id, number, len(raw))
            raw += data if data.endswith(b"\n") else data + b"\n"
        self._add_frame(frames.encode(number, bytes(raw), len(group)), len(raw), None, 0)

    def copy_frame(self, frame: Frame) -> None:
        """Append a frame as it is; its row follows it."""
        self._joins = False
        self._resume()
        data = self._blobs.read(frame.place)
        frames.check(data, frame.id)
        self.catalog.objects.place_frame(frame.id, self._append(data))

    # the transaction -----------------------------------------------------------------------------

    def flush(self) -> None:
        """Everything kept so far has its rows and its frame."""
        self._close_frame()

    def mark(self) -> tuple[int, int] | None:
        return self._blobs.position() if self._resumed else None

    def rewind(self, mark: tuple[int, int] | None) -> None:
        """Forget what was appended since the mark; the rows have been rolled back."""
        self._open, self._lists, self._numbers = _Open(), [], None
        self._fresh.clear()
        self._lost.clear()
        self._mended.clear()
        self._appended = [each for each in self._appended if mark and _end(each.frame) <= mark]
        self._sound.forget()
        self._reader.forget()
        if self._resumed:
            self._blobs.resume(*(mark or self.catalog.objects.tail()))

    def finish(self) -> None:
        """Sync the bytes, then note how far they go: the commit makes both true."""
        self.flush()
        if self._resumed:
            self._join_small_frames()
            self._blobs.sync()
            self.catalog.objects.set_pack(*self._blobs.position())

    def _join_small_frames(self) -> None:
        """Many small documents of one transaction lie together, as if they had been stored at once.

        The end of the pack that is written anew was never acknowledged. Frames keep their order; those that were
        joined get new numbers, for their old ones may have been seen inside the transaction.
        """
        pack = self._blobs.position()[0]
        here = [each for each in self._appended if each.frame.place.pack == pack]
        first = next((place for place, each in enumerate(here) if each.leaves), None)
        if not self._joins or first is None or sum(bool(each.leaves) for each in here) < FEW_FRAMES:
            return
        anew = here[first:]
        others = [(each.frame, self._blobs.read(each.frame.place)) for each in anew if not each.leaves]
        small = [each for each in anew if each.leaves]
        self._blobs.resume(pack, anew[0].frame.place.offset)
        for frame, encoded in others:
            self.catalog.objects.place_frame(frame.id, self._append(encoded))
        self.catalog.objects.remove_frames(each.frame.id for each in small)
        self._appended = []
        leaves, pieces, length = list[Object](), list[bytes](), 0
        for each in small:
            number = self._frame_number()
            leaves += [replace(leaf, frame=number, start=leaf.start + length) for leaf in each.leaves]
            pieces += each.pieces
            length += each.frame.raw
            if length >= FRAME_TARGET or each is small[-1]:
                raw = b"".join(pieces)
                self._add_frame(frames.encode(number, raw, len(leaves)), len(raw), None, 0)
                self.catalog.objects.replace(leaves)
                leaves, pieces, length = [], [], 0


def _end(frame: Frame) -> tuple[int, int]:
    return frame.place.pack, frame.place.offset + frame.place.length
