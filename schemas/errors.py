"""Errors of claimstream, one tree.

::

    ClaimstreamError
    ├── TransientError            the same call may succeed later: retried in place
    ├── PoisonError               this one record can never be processed: dead letter
    │   ├── UnreadableRecord
    │   ├── UnknownVersion
    │   ├── KeyMismatch
    │   └── RecordTooLarge
    ├── ConfigurationError        settings or files that need a person
    └── IntegrityError            the store or the log is not what it must be: refuse, change nothing
"""


class ClaimstreamError(Exception):
    """Something went wrong in claimstream."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class TransientError(ClaimstreamError):
    """A part is away or busy; the same call may succeed later."""


class PoisonError(ClaimstreamError):
    """This record can never be processed."""


class UnreadableRecord(PoisonError):
    """The record is not valid JSON of a known type."""


class UnknownVersion(PoisonError):
    """The record has a major version that this program does not know; upgrade the program, then redrive."""


class KeyMismatch(PoisonError):
    """The Kafka key does not match the tenant and entity in the record's body."""


class RecordTooLarge(PoisonError):
    """The record is over the size limit; split the turn or raise CLAIMSTREAM_MAX_RECORD_BYTES."""


class ConfigurationError(ClaimstreamError):
    """A setting or file is wrong and needs a person."""


class IntegrityError(ClaimstreamError):
    """The store or the log is not what it must be; nothing was changed."""
