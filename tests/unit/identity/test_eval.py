"""The evaluation reads its labels as they are meant, and its figures hold."""

from bench.identity import measure, wilson
from bench.identity_pairs import Pair, judged_one, read_pairs


def test_the_labels() -> None:
    pairs = list(read_pairs())
    assert len({(pair.kind, pair.first, pair.second, pair.known) for pair in pairs}) == len(pairs) >= 600
    assert sum(pair.half == "held" for pair in pairs) >= 300
    assert len({pair.kind for pair in pairs}) >= 20


def test_context_is_played() -> None:
    near = Pair("x", True, "person:Robin Stone", "person:Robin", ("near",))
    assert judged_one(near)
    assert not judged_one(Pair("x", True, "person:Robin Stone", "person:Robin", ()))
    other = ("knows person:Robin Reed", "near")
    assert not judged_one(Pair("x", True, "person:Robin Stone", "person:Robin", other))


def test_wilson() -> None:
    low, high = wilson(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)
    assert wilson(0, 0) == (0.0, 1.0)


def test_precision_of_the_held_out_half() -> None:
    halves, _, _ = measure(list(read_pairs()))
    assert halves["held"].precision >= 0.99
    assert halves["held"].recall >= 0.9
    assert halves["dev"].precision >= 0.99
