"""Every setting of claimstream, in one class.

A value comes from the first of: an environment variable ``CLAIMSTREAM_<NAME>``, the file ``.env`` of the
current folder, a running ``claimstream dev`` of the same folder (addresses only), the default.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from schemas.errors import ConfigurationError
from streams.devfile import DEFAULT_STATE_DIR, read_dev_file

PREFIX: Final = "CLAIMSTREAM_"
#: Read by the tests and by the top-level error handler, not settings of the pipeline.
OTHER_VARIABLES: Final = frozenset({"CLAIMSTREAM_DEBUG", "CLAIMSTREAM_DEMO_CONVERSATION"})
_OTHER_PREFIX: Final = "CLAIMSTREAM_TEST_"

_ADDRESS: Final = re.compile(r"^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})$")


def _bootstrap(value: str) -> str:
    addresses = [part.strip() for part in value.split(",")]
    for address in addresses:
        match = _ADDRESS.match(address)
        if match is None or not 0 < int(match[2]) < 65536:
            raise ValueError(f"{address!r} is not host:port")
    return ",".join(addresses)


def _dsn(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if not text.startswith(("postgresql://", "postgres://")) and "=" not in text:
        raise ValueError("it is neither a postgresql:// address nor a list of key=value")
    return SecretStr(text)


class Settings(BaseSettings):
    """Immutable. Use `load`, which reports mistakes as ConfigurationError."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True
    )

    bootstrap: Annotated[str, AfterValidator(_bootstrap)] = Field(
        "localhost:9092", description="the broker: host:port, several joined by commas"
    )
    topic_prefix: str = Field(
        "memory",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="what topic names start with: letters, digits, dot, dash, underscore",
    )
    partitions: int = Field(8, ge=1, le=1000, description="partitions of a new topic, 1 to 1000")
    replication_factor: int = Field(1, ge=1, le=10, description="copies of a new topic's partitions, 1 to 10")
    session_timeout_s: float = Field(
        10.0,
        ge=1.0,
        le=300.0,
        description="seconds after which a silent worker's partitions are given away, 1 to 300",
    )
    stall_s: float = Field(
        600.0,
        ge=0,
        le=86_400,
        description="seconds after which a lag that does not move ends the worker, 0 for never",
    )
    max_record_bytes: int = Field(
        1024 * 1024, ge=1024, le=64 * 1024 * 1024, description="size limit of one published record, in bytes"
    )
    broker_timeout_s: float = Field(
        10.0, gt=0, le=600, description="seconds to wait for the broker before saying that it is down"
    )

    dsn: Annotated[SecretStr, AfterValidator(_dsn)] = Field(
        SecretStr("postgresql://claimstream@localhost:5432/claimstream"),
        description="the Postgres: postgresql://user:password@host:port/database",
    )
    db_schema: str = Field(
        "claimstream",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$",
        description="the schema of the ledger's tables",
    )
    pool_size: int = Field(4, ge=1, le=100, description="Postgres connections of one process, 1 to 100")
    database_timeout_s: float = Field(
        10.0, gt=0, le=600, description="seconds to wait for Postgres before saying that it is down"
    )
    lancedb_uri: str = Field(
        f"{DEFAULT_STATE_DIR}/lancedb",
        min_length=1,
        description="the vector index: a folder or a LanceDB URI",
    )

    extractor: Literal["rules"] = Field("rules", description="what takes facts out of turns: rules")
    auto_register: bool = Field(
        False, description="whether predicates in use that the registry does not know become entries of it"
    )
    conflict_rules: str = Field(
        "",
        description="rules of your domain on values that cannot hold together: package.module:name, joined by commas",
    )
    embedder: Literal["offline", "stub", "sentence-transformers"] = Field(
        "offline", description="offline (MiniLM, no torch), sentence-transformers, or stub (for benchmarks)"
    )
    embedder_model: str = Field(
        "sentence-transformers/all-MiniLM-L6-v2", description="the model that sentence-transformers loads"
    )
    embedder_threads: int = Field(1, ge=1, le=256, description="threads of the offline embedder, 1 to 256")
    embedder_batch: int = Field(32, ge=1, le=1024, description="texts per call of the embedder, 1 to 1024")
    batch_records: int = Field(500, ge=1, le=10_000, description="records a stage takes at once, 1 to 10000")

    default_tenant: str = Field(
        "default", min_length=1, max_length=256, description="the tenant of the commands"
    )
    default_user: str = Field("u1", min_length=1, max_length=256, description="the user that `say` speaks as")
    wait_timeout_s: float = Field(
        60.0, gt=0, le=3600, description="seconds a command waits for the pipeline before it gives up"
    )

    state_dir: Path = Field(
        Path(DEFAULT_STATE_DIR), description="folder for what commands of one folder tell each other"
    )
    health_dir: Path = Field(
        Path(DEFAULT_STATE_DIR) / "health", description="folder of the workers' heartbeat files"
    )
    health_max_age_s: float = Field(
        30.0, gt=0, le=3600, description="seconds after which a heartbeat is too old to be healthy"
    )
    metrics_port: int = Field(0, ge=0, le=65535, description="port of the Prometheus metrics, 0 for none")
    metrics_host: str = Field("127.0.0.1", min_length=1, description="address the metrics port listens on")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="debug, info, warning or error"
    )
    log_format: Literal["console", "json"] = Field("console", description="console or json")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, dotenv_settings, _DevSource(settings_cls)


class _DevSource(PydanticBaseSettingsSource):
    """The addresses of a running ``claimstream dev``: all of them, or none when one is set elsewhere."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False  # asked for as a whole by __call__

    def __call__(self) -> dict[str, Any]:
        state_dir = Path(str(self.current_state.get("state_dir", DEFAULT_STATE_DIR)))
        found = read_dev_file(state_dir)
        # One address by hand and the other from `dev` would mix two pipelines.
        if found is None or not found.keys().isdisjoint(self.current_state):
            return {}
        return dict(found)


def load(**overrides: Any) -> Settings:
    """The settings; `overrides` win over every source. Raises ConfigurationError, a line per wrong one."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise ConfigurationError(explain(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the settings could not be read (.env?): {error}") from None


def variable(name: str) -> str:
    """The environment variable of the setting `name`."""
    return PREFIX + name.upper()


def explain(error: ValidationError) -> str:
    """One line per wrong setting: its environment variable, what is wrong, what is expected. No secrets."""
    lines = ["wrong settings (from the environment or .env):"]
    for item in error.errors(include_url=False, include_context=False):
        name = str(item["loc"][0]) if item["loc"] else ""
        field = Settings.model_fields.get(name)
        shown = "" if field is None or _is_secret(field) else f"={str(item['input'])[:80]!r}"
        wrong = item["msg"].removeprefix("Value error, ")
        wrong = wrong[:1].lower() + wrong[1:]
        expected = f"; expected: {field.description}" if field is not None and field.description else ""
        lines.append(f"  {variable(name)}{shown}: {wrong}{expected}")
    return "\n".join(lines)


def _is_secret(field: FieldInfo) -> bool:
    return field.annotation is SecretStr


def shown(settings: Settings) -> dict[str, str]:
    """Environment variable to value as text, passwords hidden."""
    values: dict[str, str] = {}
    for name in Settings.model_fields:
        value = getattr(settings, name)
        values[variable(name)] = (
            hide_password(value.get_secret_value()) if isinstance(value, SecretStr) else str(value)
        )
    return values


def hide_password(dsn: str) -> str:
    """The DSN with its password replaced by ``***``; both forms that Postgres takes."""
    dsn = re.sub(r"^(\w+://[^:/@]*):[^/?#]*@", r"\1:***@", dsn)
    return re.sub(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", r"\1***", dsn, flags=re.IGNORECASE)


def unknown_variables() -> list[str]:
    """One line per CLAIMSTREAM_ variable that is no setting, with the nearest name: likely a typing error.

    A warning, not an error: Kubernetes sets CLAIMSTREAM_SERVICE_HOST and the like for a service of that name.
    """
    known = [variable(name) for name in Settings.model_fields]
    lines = []
    for name in sorted(os.environ):
        if (
            not name.startswith(PREFIX)
            or name in known
            or name in OTHER_VARIABLES
            or name.startswith(_OTHER_PREFIX)
        ):
            continue
        near = difflib.get_close_matches(name, known, n=1)
        lines.append(f"{name} is no setting" + (f"; did you mean {near[0]}?" if near else ""))
    return lines
