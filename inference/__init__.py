"""Adapters to models: embedders, LLM extraction and judging, offline defaults."""
