"""A broker and a Postgres that need no Docker: child processes that end with this one, however it ends."""
