"""Adapters to models: embedders, LLM extraction and judging, offline defaults."""

import os

# From its import on, the wheel of onnxruntime (seen in 1.32) makes up a device id, keeps events in ~/.cache and in the
# temporary folder, and is built to send them to its maker. Only this variable, set before, keeps it from all three. A
# memory of what people said sends nothing anywhere by itself. Whoever sets it to 0 has asked for it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
