"""Hypothesis strategies for the vocabulary."""

from hypothesis import strategies as st

from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.records import document_key, response_key
from trace_tui.reviews import Review, Status

document_keys = st.builds(document_key, st.integers(0, 2), st.integers(0, 3))
response_keys = st.builds(response_key, st.integers(0, 3))
key_sets = st.frozensets(document_keys, max_size=6)
supports = st.builds(
    Support, key_sets, st.sampled_from(Verdict), st.none() | st.sampled_from(Reason), explanation=st.just("")
)


def _without_empty(said: dict[str, Support]) -> dict[str, Support]:
    return {key: support for key, support in said.items() if support != Support()}


labels = st.builds(Labels, key_sets, key_sets, st.dictionaries(response_keys, supports, max_size=4).map(_without_empty))
reviews = st.builds(
    Review,
    labels,
    st.frozensets(response_keys, max_size=4),
    st.sampled_from(Status),
    st.booleans(),
    st.text(max_size=8),
    st.none() | labels,
    st.sampled_from(["", '"1"#0', '"2"#1']),
)
texts = st.text(max_size=60)
