"""The order in which a dataset is stepped through, where it is not the file's."""

from collections.abc import Mapping, Sequence

from trace_tui.review.ports import Source


def uncertain_first(source: Source, shares: Mapping[str, float]) -> Sequence[int]:
    """Return all positions, those first about which the votes of a judge were divided most.

    Args:
        source: the dataset.
        shares: of the records that have a label on which the votes were not unanimous, by identity, the smallest share
            of votes by which such a label was decided. One that is not in the dataset counts for nothing.

    Returns:
        The positions by rising share, then as in the file; after them all others as in the file.
    """
    # Where they stand is not known: -1 is nowhere.
    places = source.find_uids(dict.fromkeys(shares, -1), lambda _done, _total: None)
    first = sorted((shares[uid], position) for uid, position in places.items())
    taken = {position for _, position in first}
    return [*(position for _, position in first), *(n for n in range(len(source)) if n not in taken)]
