"""The ledger on PostgreSQL 14 or newer. Only here and in sinks.ledger_reads is psycopg imported."""

from sinks.postgres.ledger import PostgresLedger

__all__ = ["PostgresLedger"]
