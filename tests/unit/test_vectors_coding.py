import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from processors import vectors
from processors.vectors import BadVector, cosine, decode, encode, nearest, to_unit


def unit(rows: int, seed: int, dimension: int = 384) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(rows, dimension))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


components = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
some_vector = arrays(np.float32, 16, elements=components).filter(lambda v: bool(np.abs(v).max() > 1e-3))


@given(some_vector, st.integers(-8, 8))
def test_coding_is_deterministic_and_blind_to_scale(vector: np.ndarray, exponent: int) -> None:
    # Powers of two: any other factor rounds the input itself.
    assert encode(vector) == encode(vector.copy()) == encode(vector.astype(np.float64) * 2.0**exponent)


@given(some_vector)
def test_coding_again_changes_nothing(vector: np.ndarray) -> None:
    text = encode(vector)
    assert encode(decode(text).values) == text


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_cosine_error_is_at_most_0_003(seed: int, share: float) -> None:
    a, b = unit(2, seed)
    b = share * a + (1 - share) * b
    b /= np.linalg.norm(b)
    assert abs(cosine(encode(a), encode(b)) / vectors.MICRO - float(a @ b)) <= 0.003


@given(some_vector, some_vector)
def test_cosine_is_symmetric_bounded_and_one_with_itself(left: np.ndarray, right: np.ndarray) -> None:
    a, b = encode(left), encode(right)
    assert cosine(a, b) == cosine(b, a)
    assert -vectors.MICRO <= cosine(a, b) <= vectors.MICRO
    assert cosine(a, a) == vectors.MICRO
    assert cosine(a, encode(-left)) == -vectors.MICRO


@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
def test_nearest_equals_the_exact_pairwise_cosines(seed: int, rows: int) -> None:
    coded = [encode(v) for v in unit(rows + 1, seed, 32)]
    candidates = [(f"c{i:03d}", text) for i, text in enumerate(coded[1:])]
    exact = sorted(((n, cosine(coded[0], t)) for n, t in candidates), key=lambda p: (-p[1], p[0]))
    assert nearest(coded[0], reversed(candidates), limit=rows) == exact
    assert nearest(coded[0], candidates) == exact[:8]


def test_ties_go_by_id() -> None:
    a, b = (encode(v) for v in unit(2, 1))
    assert [name for name, _ in nearest(a, [("z", b), ("m", b), ("a", b), ("y", a)])] == ["y", "a", "m", "z"]


def test_known_bytes() -> None:
    # Pins the wire form: rint(127 * v / 0.5) of (0.5, -0.25, 0, 0.1) is 127, -64 (half to even), 0, 25.
    assert decode(encode([0.5, -0.25, 0.0, 0.1])).values.tolist() == [127, -64, 0, 25]
    assert encode([0.5, -0.25, 0.0, 0.1]) == "f8AAGQ=="


def test_unit_form_has_length_one_and_the_same_direction() -> None:
    a = unit(1, 3)[0]
    back = to_unit(encode(a))
    assert back.dtype == np.float32
    assert abs(float(np.linalg.norm(back)) - 1.0) < 1e-6
    assert float(back @ a) > 0.999


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf")], [[1.0, 2.0]]])
def test_what_has_no_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(BadVector):
        encode(vector)


@pytest.mark.parametrize("text", ["", "AAAA", "not base64!", "é"])
def test_what_is_no_coded_vector_is_refused(text: str) -> None:
    with pytest.raises(BadVector):
        decode(text)


def test_dimensions_do_not_mix() -> None:
    short, long = encode([1.0, 2.0]), encode([1.0, 2.0, 3.0])
    with pytest.raises(BadVector, match="2 and 3 dimensions"):
        cosine(short, long)
    with pytest.raises(BadVector, match="2 and 3 dimensions"):
        nearest(short, [("a", short), ("b", long)])


def test_the_largest_sum_is_exact() -> None:
    # The fast path adds in float64; at full scale it must still be the integer.
    full = encode(np.ones(384))
    assert nearest(full, [("same", full)]) == [("same", vectors.MICRO)]
    assert decode(full).norm2 == 384 * 127 * 127
