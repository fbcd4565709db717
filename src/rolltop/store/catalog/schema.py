"""The tables of the catalogue. See docs/design/store-format.md."""

from __future__ import annotations

__all__ = ["FORMAT", "SCHEMA"]

FORMAT = 1

SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE packs(id INTEGER PRIMARY KEY, length INTEGER NOT NULL) STRICT;

CREATE TABLE frames(
  id INTEGER PRIMARY KEY, pack INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  raw INTEGER NOT NULL, base INTEGER, depth INTEGER NOT NULL) STRICT;

CREATE TABLE objects(
  id INTEGER PRIMARY KEY, hash BLOB NOT NULL, size INTEGER NOT NULL,
  frame INTEGER, start INTEGER NOT NULL, parts BLOB) STRICT;
CREATE UNIQUE INDEX objects_hash ON objects(hash);

CREATE TABLE documents(
  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, name TEXT NOT NULL, ext TEXT NOT NULL,
  mime TEXT NOT NULL, kind TEXT NOT NULL, object INTEGER NOT NULL, size INTEGER NOT NULL,
  version INTEGER NOT NULL, created INTEGER NOT NULL, modified INTEGER NOT NULL, indexed INTEGER NOT NULL,
  change INTEGER NOT NULL, deleted INTEGER, seal INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX documents_path ON documents(path) WHERE deleted IS NULL;
CREATE INDEX documents_object ON documents(object);
CREATE INDEX documents_change ON documents(change);
CREATE INDEX documents_name ON documents(name) WHERE deleted IS NULL;
CREATE INDEX documents_ext ON documents(ext) WHERE deleted IS NULL;
CREATE INDEX documents_kind ON documents(kind) WHERE deleted IS NULL;
CREATE INDEX documents_size ON documents(size) WHERE deleted IS NULL;
CREATE INDEX documents_created ON documents(created) WHERE deleted IS NULL;
CREATE INDEX documents_modified ON documents(modified) WHERE deleted IS NULL;
CREATE INDEX documents_indexed ON documents(indexed) WHERE deleted IS NULL;
CREATE INDEX documents_deleted ON documents(deleted) WHERE deleted IS NOT NULL;

CREATE TABLE versions(
  document INTEGER NOT NULL, number INTEGER NOT NULL, object INTEGER NOT NULL, size INTEGER NOT NULL,
  modified INTEGER NOT NULL, indexed INTEGER NOT NULL, seal INTEGER NOT NULL,
  PRIMARY KEY(document, number)) STRICT, WITHOUT ROWID;
CREATE INDEX versions_object ON versions(object);

CREATE TABLE tags(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE document_tags(
  document INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY(document, tag)) STRICT, WITHOUT ROWID;
CREATE INDEX document_tags_tag ON document_tags(tag, document);

CREATE TABLE metadata(
  document INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, since INTEGER NOT NULL,
  seal INTEGER NOT NULL, PRIMARY KEY(document, key)) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_key ON metadata(key, value);
CREATE TABLE metadata_history(
  document INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, since INTEGER NOT NULL,
  until INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
CREATE INDEX metadata_history_document ON metadata_history(document, key, since);

CREATE TABLE snapshots(
  id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL UNIQUE, created INTEGER NOT NULL,
  prefix TEXT NOT NULL) STRICT;
CREATE TABLE snapshot_entries(
  snapshot INTEGER NOT NULL, path TEXT NOT NULL, object INTEGER NOT NULL, size INTEGER NOT NULL,
  modified INTEGER NOT NULL, seal INTEGER NOT NULL, PRIMARY KEY(snapshot, path)) STRICT, WITHOUT ROWID;
CREATE INDEX snapshot_entries_object ON snapshot_entries(object);
"""
