"""How connections are made: the schema and the planner's settings go with them."""

from typing import Any

import orjson
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import set_json_loads

from schemas.errors import ConfigurationError
from sinks.postgres.binary import register

# The ledger asks for keys by index, never for whole tables. Left alone, the planner takes hash joins over sequential
# scans while tables are young and has that plan still when they are not.
_BY_INDEX = {"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off"}
_ALWAYS = {"TimeZone": "UTC", "jit": "off", "client_encoding": "UTF8"}


def conninfo(dsn: str, schema: str) -> str:
    """The DSN with `schema` as its search path. Raises ConfigurationError when it cannot be read."""
    try:
        known = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(f"CLAIMSTREAM_DSN is not a Postgres address: {str(error).strip()}") from None
    settings = {"search_path": _quoted(schema), **_ALWAYS, **_BY_INDEX}
    options = [
        str(known.get("options") or ""),
        *(f"-c {name}={_escaped(value)}" for name, value in settings.items()),
    ]
    return make_conninfo(dsn, options=" ".join(filter(None, options)), application_name="claimstream")


def where(dsn: str) -> str:
    """host:port/database, for messages."""
    known = conninfo_to_dict(dsn)
    return f"{known.get('host') or 'localhost'}:{known.get('port') or 5432}/{known.get('dbname') or ''}"


async def configure(connection: psycopg.AsyncConnection[Any]) -> None:
    """For every new connection of a pool."""
    register(connection)
    set_json_loads(orjson.loads, connection)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")
