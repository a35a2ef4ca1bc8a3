"""Settings: where they come from, what a mistake says, what is never shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.errors import ConfigurationError
from streams.devfile import dev_file, read_dev_file
from streams.settings import hide_password, load, shown, unknown_variables

ADDRESSES = {
    "bootstrap": "127.0.0.1:1",
    "dsn": "postgresql://postgres@127.0.0.1:2/postgres",
    "lancedb_uri": "v",
}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("CLAIMSTREAM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_defaults_are_valid() -> None:
    assert load().topic_prefix == "memory"


def test_environment_wins_over_dotenv(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("CLAIMSTREAM_PARTITIONS=3\nCLAIMSTREAM_TOPIC_PREFIX=blue\n")
    monkeypatch.setenv("CLAIMSTREAM_PARTITIONS", "5")
    assert (load().partitions, load().topic_prefix) == (5, "blue")
    assert load(partitions=7).partitions == 7


@pytest.mark.parametrize(
    ("name", "value", "parts"),
    [
        ("CLAIMSTREAM_PARTITIONS", "many", ["='many'", "valid integer", "1 to 1000"]),
        ("CLAIMSTREAM_PARTITIONS", "0", ["greater than or equal to 1"]),
        ("CLAIMSTREAM_BOOTSTRAP", "localhost", ["'localhost' is not host:port"]),
        ("CLAIMSTREAM_BOOTSTRAP", "a:1,b:99999", ["'b:99999' is not host:port"]),
        ("CLAIMSTREAM_EMBEDDER", "gpu", ["offline", "sentence-transformers"]),
        ("CLAIMSTREAM_DSN", "db.example", ["postgresql://user:password@host:port/database"]),
    ],
)
def test_a_mistake_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, parts: list[str]
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as caught:
        load()
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert lines[1].strip().startswith(name)
    for part in parts:
        assert part in lines[1]


def test_all_mistakes_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMSTREAM_PARTITIONS", "x")
    monkeypatch.setenv("CLAIMSTREAM_LOG_LEVEL", "loud")
    with pytest.raises(ConfigurationError, match=r"(?s)PARTITIONS.*LOG_LEVEL"):
        load()


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMSTREAM_DSN", "hunter2")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert "hunter2" not in str(caught.value)
    settings = load(dsn="postgresql://u:hunter2@db:5432/m")
    assert "hunter2" not in repr(settings) + str(shown(settings))
    assert shown(settings)["CLAIMSTREAM_DSN"] == "postgresql://u:***@db:5432/m"


@pytest.mark.parametrize(
    ("dsn", "hidden"),
    [
        ("postgresql://u:p@ss@h:1/d", "postgresql://u:***@h:1/d"),
        (
            "postgresql://h/d?user=u&password=x&sslmode=require",
            "postgresql://h/d?user=u&password=***&sslmode=require",
        ),
        ("host=h password='a b' user=u", "host=h password=*** user=u"),
        ("host=h user=u", "host=h user=u"),
    ],
)
def test_passwords_are_hidden_in_both_forms(dsn: str, hidden: str) -> None:
    assert hide_password(dsn) == hidden


def test_a_typing_error_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMSTREAM_BOOTSTRP", "x:1")
    assert unknown_variables() == ["CLAIMSTREAM_BOOTSTRP is no setting; did you mean CLAIMSTREAM_BOOTSTRAP?"]


def test_a_running_dev_is_found_and_a_left_over_file_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    path = load().state_dir / "dev.json"
    with dev_file(load().state_dir) as publish:
        # Held, but nothing to be found yet.
        assert load().bootstrap == "localhost:9092"
        publish(ADDRESSES)
        assert load().bootstrap == "127.0.0.1:1"
        assert load().dsn.get_secret_value() == ADDRESSES["dsn"]
        assert path.stat().st_mode & 0o077 == 0
        monkeypatch.setenv("CLAIMSTREAM_BOOTSTRAP", "h:9")
        # One address by hand: the other one of `dev` must not be mixed in.
        assert "127.0.0.1:2" not in load().dsn.get_secret_value()
        monkeypatch.delenv("CLAIMSTREAM_BOOTSTRAP")
        left = path.read_bytes()
    assert read_dev_file(load().state_dir) is None
    path.write_bytes(left)
    assert load().bootstrap == "localhost:9092"


def test_a_killed_dev_leaves_nothing_that_counts(tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom streams.devfile import dev_file\n"
        f"with dev_file(Path({str(tmp_path)!r})) as publish:\n    publish({ADDRESSES!r})\n    os.kill(os.getpid(), 9)\n"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == -9
    assert (tmp_path / "dev.json").exists()
    assert read_dev_file(tmp_path) is None


def test_a_second_dev_in_one_folder_is_refused(tmp_path: Path) -> None:
    with (
        dev_file(tmp_path),
        pytest.raises(ConfigurationError, match="already runs in this folder"),
        dev_file(tmp_path),
    ):
        pass
