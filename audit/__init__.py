"""Does what is stored hang together? Looked at from outside, with no code of the pipeline.

It reads Postgres, the topics and the vector index by their drivers and states for itself what must hold, so that a
fault of the pipeline cannot hide in a check that shares it. Nothing is written.
"""
