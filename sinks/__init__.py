"""Adapters to stores, one system a file. SQL lives in .sql files."""
