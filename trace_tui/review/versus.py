"""Several judges side by side: which one is compared, what it says of a record, and the totals against each."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable

from trace_tui.labels import Judgement
from trace_tui.review.ports import Archive
from trace_tui.review.stock import Stock
from trace_tui.review.totals import Totals
from trace_tui.scoring import Summary

OWN = ""
"""Stands for each record's own judge: the one it was first reviewed with, or whose labels came with it."""

_REMEMBERED = 256  # judgements on their way to the store: more than can be in flight and in one commit


class Versus:
    """The judge that a session compares with, and the totals against every judge that it compared with so far.

    `title` names it, `OWN` if it is each record's own; the ledger keeps the totals against those. Totals against
    another judge are complete once stock was taken of it; a record that was edited while they were not in use is
    brought up to date when they are again, so that a key has two totals at most to keep.
    """

    def __init__(self, archive: Archive) -> None:
        self.title = OWN
        self.judges: tuple[str, ...] = ()
        self._archive = archive
        self._totals: dict[str, Totals] = {}
        self._complete: set[str] = set()
        self._outdated: defaultdict[str, set[str]] = defaultdict(set)
        self._fresh: OrderedDict[tuple[str, str], Judgement] = OrderedDict()

    @property
    def is_own(self) -> bool:
        """Whether each record is compared with its own judge."""
        return self.title == OWN

    @property
    def is_complete(self) -> bool:
        """Whether the totals against the judge in use count what earlier sessions did."""
        return self.is_own or self.title in self._complete

    @property
    def totals(self) -> Totals:
        """The totals against the judge in use, which is not `OWN`."""
        return self._totals[self.title]

    def compare(self, title: str, unsaved: Iterable[str]) -> frozenset[str]:
        """Compare with a judge from now on.

        Args:
            title: which.
            unsaved: records with edits that the archive may not have yet.

        Returns:
            The records of which these totals need the summary anew; `put` gives it to them.
        """
        self.title = title
        if self.is_own:
            return frozenset()
        self._know(title)
        if title not in self._totals:
            self._totals[title] = Totals()
            self._outdated[title] |= {*unsaved, *(uid for uid, judge in self._fresh if judge == title)}
        return frozenset(self._outdated[title])

    def take_over(self, stock: Stock) -> None:
        """Use a stock from now on, with what happened since it was begun; a second one is not needed."""
        for title in stock.judges:
            self._know(title)
        if stock.versus in self._totals and stock.versus not in self._complete:
            for summary in self._totals[stock.versus]:
                stock.totals.put(summary)
            self._totals[stock.versus] = stock.totals
            self._complete.add(stock.versus)

    def put(self, summary: Summary) -> None:
        """Take in a record's new state against the judge in use; the other totals need it when they are used again."""
        if not self.is_own:
            self.totals.put(summary)
            self._outdated[self.title].discard(summary.uid)
        self.outdate(summary.uid)

    def outdate(self, uid: str) -> None:
        """Know that the other totals need a record anew."""
        for title in self._totals:
            if title != self.title:
                self._outdated[title].add(uid)

    def judgement(self, uid: str, title: str) -> Judgement | None:
        """Return what the judge of a title says of a record: committed, or on its way; None if it has not said."""
        return self._archive.judgement(uid, title) or self._fresh.get((uid, title))

    def remember(self, uid: str, judgement: Judgement, *, is_reviewed: bool) -> None:
        """Know a judgement that is on its way to the archive, and what totals need it."""
        title = judgement.judge.title
        self._know(title)
        self._fresh[uid, title] = judgement
        if is_reviewed and title in self._totals:
            self._outdated[title].add(uid)
        if len(self._fresh) > _REMEMBERED:
            self._fresh.popitem(last=False)

    def _know(self, title: str) -> None:
        if title not in self.judges:
            self.judges = tuple(sorted((*self.judges, title)))
