"""Readers of formats that others made: bytes in, text with places out.

They run in workers that can do nothing but compute (`rolltop.store.extract.worker`), so they take bytes and never a
path, unpack no more than `Limits` allow, and expand no entity. What they cannot read they refuse with `Unreadable`.
"""
