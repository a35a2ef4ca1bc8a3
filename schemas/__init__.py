"""The language of claimstream: every event and record as a frozen model. No I/O happens here."""
