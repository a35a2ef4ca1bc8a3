"""docker-compose.yml without an engine: valid for Compose, complete, and each service's command runs and gets well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from streams.topology import RUNNABLE
from tests.fixtures.broker import Broker

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 90
OURS = {"topics", "cli", *RUNNABLE}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    body: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return body


def test_it_is_valid_for_compose(compose: dict[str, Any]) -> None:
    text = (files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json").read_text()
    schema = json.loads(text)
    jsonschema.Draft7Validator(schema).validate(compose)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate(compose | {"servces": {}})


def repeated_keys(node: yaml.Node | None) -> list[str]:
    """Keys that a mapping holds twice: Compose refuses the file, PyYAML takes the last one without a word."""
    if isinstance(node, yaml.SequenceNode):
        return [key for item in node.value for key in repeated_keys(item)]
    if not isinstance(node, yaml.MappingNode):
        return []
    keys = [str(key.value) for key, _ in node.value]
    inside = [key for _, value in node.value for key in repeated_keys(value)]
    return [key for key in dict.fromkeys(keys) if keys.count(key) > 1] + inside


def test_no_key_is_there_twice() -> None:
    assert repeated_keys(yaml.compose("a: {b: 1, c: [{d: 1, d: 2}], b: 3}")) == ["b", "d"]
    assert repeated_keys(yaml.compose((ROOT / "docker-compose.yml").read_text())) == []


def test_every_stage_is_a_service_that_restarts_and_is_checked(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services.keys() == OURS | {"kafka", "postgres"}
    for stage in RUNNABLE.values():
        service = services[stage.name]
        assert service["command"] == ["worker", stage.name]
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"] == ["CMD", "claimstream", "health", stage.name]
        assert service["depends_on"] == {
            "topics": {"condition": "service_completed_successfully"},
            "postgres": {"condition": "service_healthy"},
            "kafka": {"condition": "service_healthy"},
        }
    for name in ("kafka", "postgres"):
        assert services[name]["healthcheck"]["test"][0] == "CMD"
        assert services[name]["volumes"]
        assert all(port.startswith("127.0.0.1:") for port in services[name]["ports"])


def test_every_name_that_is_used_is_defined(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert service.get("depends_on", {}).keys() <= compose["services"].keys()
        for volume in service.get("volumes", []):
            assert volume.split(":", 1)[0] in compose["volumes"]


def test_the_image_holds_every_package_and_no_secret() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    for package in ("schemas", "topics", "processors", "inference", "sinks", "streams", "recall"):
        assert f"COPY {package} {package}\n" in dockerfile
    assert "\nUSER claimstream\n" in dockerfile
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {".env", ".git", ".venv"} <= set(ignored)


class Service:
    """A service of ours as a local process: its command and environment, with the addresses replaced."""

    def __init__(self, definition: dict[str, Any], here: dict[str, str], folder: Path) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMSTREAM_")}
        # Of an image, what the Dockerfile sets; of each container, folders of its own.
        image = {
            "CLAIMSTREAM_LOG_FORMAT": "json",
            "CLAIMSTREAM_STATE_DIR": str(folder / "state"),
            "CLAIMSTREAM_HEALTH_DIR": str(folder / "health"),
            "CLAIMSTREAM_LANCEDB_URI": str(folder / "lancedb"),
        }
        assert definition["environment"].keys() >= here.keys(), "a variable that the test replaces is not set"
        self.environment = inherited | image | definition["environment"] | here
        self.definition = definition
        self.folder = folder
        folder.mkdir()

    def arguments(self, command: list[str]) -> list[str]:
        return [sys.executable, "-m", "streams.cli", *command]

    def start(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                self.arguments(self.definition["command"]),
                env=self.environment,
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    def healthy(self) -> subprocess.CompletedProcess[str]:
        kind, program, *arguments = self.definition["healthcheck"]["test"]
        assert (kind, program) == ("CMD", "claimstream")
        return subprocess.run(
            self.arguments(arguments),
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def log(self) -> str:
        return (self.folder / "log").read_text()[-3000:]


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.broker
@pytest.mark.postgres
def test_each_service_gets_well_and_ends_in_order(
    compose: dict[str, Any],
    broker: Broker,
    database: str,
    topic_prefix: str,
    tmp_path: Path,
    running: list[subprocess.Popen[bytes]],
) -> None:
    here = {
        "CLAIMSTREAM_BOOTSTRAP": broker.bootstrap,
        "CLAIMSTREAM_DSN": database,
        "CLAIMSTREAM_TOPIC_PREFIX": topic_prefix,
        "CLAIMSTREAM_PARTITIONS": "2",
    }
    services = {name: Service(compose["services"][name], here, tmp_path / name) for name in OURS - {"cli"}}
    creating = services["topics"].start()
    running.append(creating)
    assert creating.wait(TIMEOUT_S) == 0, services["topics"].log()

    stages = {name: services[name] for name in RUNNABLE}
    processes = {name: service.start() for name, service in stages.items()}
    running.extend(processes.values())
    for name, service in stages.items():
        deadline = time.monotonic() + TIMEOUT_S
        while (check := service.healthy()).returncode != 0:
            assert processes[name].poll() is None, f"{name} ended: {service.log()}"
            assert time.monotonic() < deadline, f"{name}: {check.stderr}; {service.log()}"
            time.sleep(0.5)
    for process in processes.values():
        process.terminate()
    for name, process in processes.items():
        assert process.wait(TIMEOUT_S) == 0, f"{name}: {stages[name].log()}"
        # Its sign of life goes with it: a stopped service is not healthy.
        assert stages[name].healthy().returncode == 1
