"""The measured profiles of the embedders that ship with claimstream.

Source of the numbers: ``python -m bench.calibrate_embedder``, 100 known and 24 novel labels for 25
predicates, half of them for choosing and half for checking; the table is in
docs/decisions/0003-offline-embedder.md.
"""

from processors.embedding import EmbedderProfile

#: band_high: on the tuning half no wrong and no novel label is above 0.374; 0.45 leaves room for labels not
#: seen. band_low: 95 % of the right ones are above it (0.318). margin: keeps near twins apart (time zone of
#: the person, of the office). floor: nine of ten unrelated pairs are below (0.244), the worst answer 0.447.
MINILM_INT8 = EmbedderProfile(
    model_id="all-MiniLM-L6-v2-int8", dimension=384, band_high=0.45, band_low=0.30, margin=0.05, floor=0.25
)

#: Not measured, because a hash has no meaning: only labels that share most of their words are near.
STUB = EmbedderProfile(model_id="stub", dimension=384, band_high=0.80, band_low=0.60, margin=0.05, floor=0.10)
