"""What psycopg raises, as the errors that the runner acts on."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from schemas.errors import ConfigurationError, IntegrityError, TransientError

#: A connection that can never succeed without a person.
_MISCONFIGURED = (
    errors.InvalidPassword,
    errors.InvalidAuthorizationSpecification,
    errors.InvalidCatalogName,
    errors.InsufficientPrivilege,
)
#: After a failover the old primary still answers, but only reads.
_TRANSIENT = (psycopg.OperationalError, psycopg.InterfaceError, errors.ReadOnlySqlTransaction)


@contextmanager
def translated() -> Iterator[None]:
    """TransientError for what may succeed when the whole transaction is tried again, IntegrityError for a key twice.

    Serialization failures, deadlocks, lost connections, timeouts (the pool's too) and a server that starts or stops
    are OperationalErrors. Anything else is a fault of the program and goes through as it is.
    """
    try:
        yield
    except errors.UniqueViolation as error:
        raise IntegrityError(
            f"the ledger has such a row already ({error.diag.table_name}, {error.diag.constraint_name}); nothing was "
            "changed. Two programs write one schema, or a record was decided twice"
        ) from error
    except _TRANSIENT as error:
        raise TransientError(f"Postgres: {_one_line(error)}") from error


@contextmanager
def connecting(where: str) -> Iterator[None]:
    """For the first connection: says what a person can do. `where` names the server, without a password."""
    try:
        yield
    except _MISCONFIGURED as error:
        raise ConfigurationError(
            f"Postgres at {where} refused: {_one_line(error)}; see CLAIMSTREAM_DSN"
        ) from error
    except psycopg.ProgrammingError as error:
        if error.sqlstate is not None:
            raise
        raise ConfigurationError(
            f"the address of Postgres is wrong: {_one_line(error)}; see CLAIMSTREAM_DSN"
        ) from None
    except _TRANSIENT as error:
        text = _one_line(error)
        # libpq reports a refused login without a code when it happens while connecting.
        if "authentication failed" in text or "does not exist" in text:
            raise ConfigurationError(f"Postgres at {where} refused: {text}; see CLAIMSTREAM_DSN") from error
        raise TransientError(
            f"no Postgres answered at {where} ({text}); start one, for example with `claimstream dev`, "
            "or set CLAIMSTREAM_DSN"
        ) from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
