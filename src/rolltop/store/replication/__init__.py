"""Indexes that several servers share: one builds them and publishes the files, the others take these over.

Every server has its own copy of every index in its local directory and answers from it, so search costs the same as on
one machine. The server that holds the lease follows the catalogue in the background and puts what it has built into the
object store, as a numbered manifest of immutable blocks. The others fetch the blocks that they do not have. Whatever is
not published yet, each server learns from the catalogue's changes before it answers.

Nothing here is truth: all of it can be deleted, and is built again from the catalogue.
"""

from rolltop.store.replication.parts import Part
from rolltop.store.replication.replica import Replica, Shared

__all__ = ["Part", "Replica", "Shared"]
