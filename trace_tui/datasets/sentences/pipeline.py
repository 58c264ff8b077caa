"""spaCy pipelines that set sentence boundaries: ours, without a model, and installed ones."""

import re
from itertools import pairwise
from typing import Final

import spacy
from spacy.about import __version__ as spacy_version
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from trace_tui.datasets.sentences import cut
from trace_tui.display import one_line
from trace_tui.errors import UsageError
from trace_tui.records import Span

COMPONENT: Final = "trace_sentences"

# Far above any document and below the 31 bits of a token's offset; the limit is meant for parsers' memory.
_MAX_LENGTH: Final = 1_000_000_000
_TOKEN: Final = re.compile(r"(\S+)( ?)|\s+")
# Components that no sentence boundary comes from, and that take most of an installed pipeline's time.
_UNNEEDED: Final = ("ner", "entity_ruler", "entity_linker", "spancat", "lemmatizer", "textcat", "textcat_multilabel")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class WholeText:
    """A tokenizer that leaves the text in one piece: spaCy's own is quadratic on runs of brackets and backticks.

    The words follow in `trace_sentences`, because a `Doc` takes sentence starts only together with its words.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Return a document of one token."""
        return Doc(self.vocab, words=[text], spaces=[False])


@Language.component(COMPONENT)
def trace_sentences(doc: Doc) -> Doc:
    """Return the document cut into words and sentences; `doc.sents` yields them."""
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []
    text = doc.text
    _, *later = [span.start for span in cut.sentences(text)] or [0]
    for start, end in pairwise([0, *later, len(text)]):
        first = len(words)
        for token in _TOKEN.finditer(text, start, end):
            words.append(token[1] or token[0])
            spaces.append(bool(token[2]))
        starts.extend(index == first for index in range(first, len(words)))
    return Doc(doc.vocab, words=words, spaces=spaces, sent_starts=starts)


def own() -> Language:
    """Build the pipeline of our own: multilingual, without a model."""
    # A vocabulary without lexical attributes: shape, prefix and the like of each new word took most of the time.
    nlp = spacy.blank("xx", vocab=Vocab())
    nlp.tokenizer = WholeText(nlp.vocab)
    nlp.add_pipe(COMPONENT)
    nlp.max_length = _MAX_LENGTH
    return nlp


def installed(name: str) -> Language:
    """Load an installed pipeline.

    Raises:
        UsageError: if there is none of that name, it cannot be loaded, or it sets no sentence boundaries.
    """
    shown = one_line(name)
    try:
        nlp = spacy.load(name, exclude=_UNNEEDED)
    except (OSError, ImportError, ValueError) as error:
        reason = one_line(str(error).partition("\n")[0]).rstrip(".")
        raise UsageError(
            f"spaCy pipeline `{shown}` cannot be loaded ({reason}); install it with "
            f"`python -m spacy download {shown}`, or leave the option out to split without a model"
        ) from error
    if not nlp("One. Two.").has_annotation("SENT_START"):
        raise UsageError(
            f"spaCy pipeline `{shown}` sets no sentence boundaries; name one with a parser, a senter or a sentencizer"
        )
    nlp.max_length = _MAX_LENGTH
    return nlp


def name_of(nlp: Language) -> str:
    """Return what an installed pipeline calls itself, its version and spaCy's."""
    meta = nlp.meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']} spacy-{spacy_version}"


def sentence_spans(nlp: Language, text: str) -> list[Span]:
    """Return the sentences that a pipeline finds, without white space at their edges.

    Lone surrogates, which spaCy cannot store, are shown to it as U+FFFD.
    """
    with nlp.memory_zone():  # the words of a dataset would otherwise stay in the vocabulary for good
        doc = nlp(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
        ranges = [(sentence.start_char, sentence.end_char) for sentence in doc.sents]
    tight = (_tight(text, start, end) for start, end in ranges)
    return [span for span in tight if span.start < span.end]


def _tight(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
