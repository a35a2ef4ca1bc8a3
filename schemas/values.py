"""Typed values: what makes two values the same value, and which value contains which."""

from pydantic import Field

from schemas.base import Frozen


class TypedValue(Frozen):
    """A value after typing.

    ``key`` decides equality (``timezone:America/Los_Angeles``); ``within`` holds the keys of the more general
    values that contain it (a city's country, a day's month), nearest first; ``text`` is the value as stated.
    """

    type: str = Field(min_length=1, max_length=64)
    text: str = Field(max_length=4096)
    key: str = Field(max_length=4096)
    within: tuple[str, ...] = ()
