"""The names under which rows carry their fields, and the shapes that a field's value can have.

Nothing of a value is thrown away: what is no text becomes its JSON text, with a warning.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from trace_tui.datasets.decode import UnreadableError, named
from trace_tui.records import Passage

QUESTION = ("question", "query", "user_input", "input")
DOCUMENTS = ("documents", "contexts", "retrieved_contexts", "retrieval_context", "context")
RESPONSE = ("response", "answer", "actual_output", "output")
REFERENCE = ("reference", "ground_truth", "expected_output")

_DOCUMENT_TEXT = ("page_content", "text", "content")


def pick(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first value that is there and not null, by the order of `names`; None if there is none."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def check_known(fields: Mapping[str, Any]) -> list[str]:
    """Return a warning for each of question, documents and response that the row has no field for.

    Raises:
        UnreadableError: the row has a field for none of them.
    """
    missing = [names for names in (QUESTION, DOCUMENTS, RESPONSE) if fields.keys().isdisjoint(names)]
    if len(missing) == 3:  # noqa: PLR2004 - all that were looked for
        accepted = "; ".join("/".join(names) for names in missing)
        found = named(fields) if fields else "none"
        raise UnreadableError(f"no field that is known; found: {found}; accepted: {accepted}")
    return [f"no field for the {names[0]}: {'/'.join(names)}" for names in missing]


def text_of(value: Any, name: str, warnings: list[str]) -> str:
    """Return a value as text: a number as it is written, a list of strings line by line, null as nothing.

    Args:
        value: any JSON value.
        name: what the value is, for the warning.
        warnings: takes a warning if the value is no text, number, boolean or list of strings.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    if isinstance(value, (list, dict)):
        warnings.append(f"{name}: a text was expected, shown as JSON")
    return json.dumps(value, ensure_ascii=False)


def documents_of(value: Any, warnings: list[str]) -> tuple[Passage, ...]:
    """Return retrieved documents in order, uncut; a value that is no list is one document."""
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(_document(item, warnings) for item in items)


def _document(item: Any, warnings: list[str]) -> Passage:
    if not isinstance(item, dict):
        return Passage(text_of(item, "documents", warnings), ())
    if item.keys().isdisjoint(_DOCUMENT_TEXT):
        return Passage(text_of(item, "documents", warnings), ())
    return Passage(text_of(pick(item, _DOCUMENT_TEXT), "documents", warnings), (), _title(item))


def _title(item: Mapping[str, Any]) -> str:
    metadata = item.get("metadata")
    for holder in (item, metadata if isinstance(metadata, dict) else {}):
        for name in ("title", "source"):
            if isinstance(title := holder.get(name), str) and title.strip():
                return title
    return ""
