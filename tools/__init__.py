"""Programs for those who work on claimstream; not part of the distribution."""
