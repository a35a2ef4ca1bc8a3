"""The id map on PostgreSQL."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

from psycopg import AsyncConnection

from processors.identity import Known, Lookup, Name, Suggestion
from processors.identity.memory import MemoryIdentity
from processors.identity.model import MAX_ROWS
from processors.identity.names import keys_of, parse
from sinks.identity_ports import MAX_NEARBY, Conversation, IdentityChanges, Said
from sinks.keys import named_id
from sinks.postgres.asking import ask
from sinks.postgres.binary import array, columns
from sinks.postgres.rows import Row
from sinks.postgres.statements import SQL

#: All of an ``=`` key: more than there will be.
_ALL = 2**31 - 1


class PostgresIdentity:
    """`sinks.identity_ports.IdentityStore` on a connection."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection

    async def lock(self, tenant: str) -> None:
        await self._connection.execute(SQL["lock_identity"], {"tenant": tenant})

    async def view(self, tenant: str, lookups: Sequence[Lookup]) -> MemoryIdentity:
        """Three round trips: what the keys find, what was merged with it, all that is known of these."""
        view = MemoryIdentity()
        entities = await self._found(tenant, lookups)
        if not entities:
            return view
        asked = {"tenant": tenant, "entities": array("t", sorted(entities))}
        (forwards,) = await ask(self._connection, [("identity_forwards", asked)])
        for entity, target in forwards:
            view.set_forward(entity, target)
        asked = {"tenant": tenant, "entities": array("t", sorted({row[0] for row in forwards}))}
        names, identifiers, suspects = await ask(
            self._connection,
            [(f"identity_{name}", asked) for name in ("names", "identifiers", "suspects")],
        )
        for entity, name, type_, origin in names:
            view.add_name(Known(entity, Name(name, type_), origin))
        for key, entity in identifiers:
            view.add_identifiers(entity, [key])
        for first, second, why, score in suspects:
            view.suspects[first, second] = Suggestion(second, why, score)
        return view

    async def _found(self, tenant: str, lookups: Sequence[Lookup]) -> set[str]:
        keys = dict.fromkeys((one.family, key) for one in lookups for key in one.keys)
        places = [named_id(tenant, family, key) for family, key in keys]
        limits = [_ALL if key.startswith("=") else MAX_ROWS for _, key in keys]
        identifiers = dict.fromkeys(key for one in lookups for key in one.identifiers)
        ids = [named_id(tenant, key) for key in identifiers]
        rows = await ask(
            self._connection,
            [
                ("identity_names_by_key", {"places": array("u", places), "limits": array("n", limits)}),
                ("identity_by_identifier", {"ids": array("u", ids)}),
            ],
        )
        return {row[0] for row in chain(*rows)} | {entity for one in lookups for entity in one.entities}

    async def nearby(self, conversations: Collection[Conversation]) -> dict[Conversation, frozenset[str]]:
        wanted = list(dict.fromkeys(conversations))
        asked = {"conversations": array("u", [named_id(*one) for one in wanted]), "limit": MAX_NEARBY}
        (rows,) = await ask(self._connection, [("identity_nearby", asked)])
        found: dict[Conversation, set[str]] = {}
        for n, entity in rows:
            found.setdefault(wanted[n - 1], set()).add(entity)
        return {key: frozenset(entities) for key, entities in found.items()}

    async def last_said(self, conversations: Collection[Conversation]) -> dict[Conversation, Said]:
        wanted = list(dict.fromkeys(conversations))
        asked = {"conversations": array("u", [named_id(*one) for one in wanted])}
        (rows,) = await ask(self._connection, [("identity_last_said", asked)])
        return {wanted[n - 1]: Said(event_id, facts) for n, event_id, facts in rows}

    async def write(self, tenant: str, changes: IdentityChanges) -> None:
        gone = [(_name_id(tenant, row),) for row, _ in changes.moved]
        names = _once([*changes.names, *(Known(to, row.name, row.origin) for row, to in changes.moved)])
        steps: list[tuple[str, str, Iterable[Row]]] = [
            ("delete_names", "u", gone),
            ("add_names", "uttttt", (_name_row(tenant, row) for row in names)),
            ("add_name_keys", "uu", chain.from_iterable(_key_rows(tenant, row) for row in names)),
            ("add_identifiers", "uttt", _identifier_rows(tenant, changes)),
            ("add_suspects", "uttttf", _suspect_rows(tenant, changes)),
            ("add_named", "uut", _named_rows(changes)),
            ("put_last_said", "utn", ((named_id(*key), *said) for key, said in changes.said.items())),
        ]
        async with self._connection.pipeline():
            for name, letters, rows in steps:
                if values := list(rows):
                    await self._connection.execute(SQL[name], columns(letters, values))
            for entity, target, command in changes.forwards:
                values_of = {"tenant": tenant, "entity": entity, "target": target, "command": command}
                statement = "delete_forward" if target is None else "put_forward"
                await self._connection.execute(SQL[statement], values_of)


def _once(rows: Iterable[Known]) -> list[Known]:
    """Each name of an entity once, as stated where it was stated: an upsert may not meet a row twice."""
    found: dict[tuple[str, Name], Known] = {}
    for row in rows:
        held = found.get((row.entity, row.name))
        if held is None or row.origin == "stated":
            found[row.entity, row.name] = row
    return list(found.values())


def _name_id(tenant: str, row: Known) -> bytes:
    return named_id(tenant, row.entity, row.name.type, row.name.text)


def _name_row(tenant: str, row: Known) -> Row:
    return (_name_id(tenant, row), tenant, row.entity, row.name.type, row.name.text, row.origin)


def _key_rows(tenant: str, row: Known) -> Iterable[Row]:
    parsed = parse(row.name)
    name = _name_id(tenant, row)
    return [(named_id(tenant, parsed.family, key), name) for key in keys_of(parsed)]


def _identifier_rows(tenant: str, changes: IdentityChanges) -> Iterable[Row]:
    return [(named_id(tenant, key), tenant, key, entity) for key, entity in changes.identifiers]


def _suspect_rows(tenant: str, changes: IdentityChanges) -> Iterable[Row]:
    return [
        (named_id(tenant, first, second), tenant, first, second, one.why, one.score)
        for (first, second), one in changes.suspects.items()
    ]


def _named_rows(changes: IdentityChanges) -> Iterable[Row]:
    return [
        (named_id(*conversation), named_id(entity), entity)
        for conversation, entities in changes.named.items()
        for entity in dict.fromkeys(entities)
    ]
