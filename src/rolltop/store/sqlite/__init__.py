"""SQLite files that several threads and processes share."""
