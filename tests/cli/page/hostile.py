"""Rows with what would run in a browser, or break out of where it stands, if a page did not escape it."""

import json
from pathlib import Path
from typing import Any

from tests.rows import make_row, support_entry

MARK = "document.documentElement.setAttribute('data-owned','1')"

PAYLOADS = (
    f"<script>{MARK}</script>",
    f"</style><script>{MARK}</script>",
    f"</title></textarea></noscript><script>{MARK}</script>",
    f'"><img src=x onerror="{MARK}">',
    f"'><svg onload={MARK}>",
    f"<math><mtext></mtext><mglyph><style></math><img src=x onerror={MARK}>",
    f"</text></svg><script>{MARK}</script>",
    f"]]><script>{MARK}</script>",
    f"--><script>{MARK}</script><!--",
    f'<a href="javascript:{MARK}">javascript:{MARK}</a>',
    f"<iframe srcdoc='<script>parent.{MARK}</script>'></iframe>",
    f"&lt;script&gt;{MARK}&lt;/script&gt; &#60;script&#62; &amp;lt;",
    f"{{{{ 7 * 7 }}}} {{% raw %}} {MARK}",
    '<link rel="stylesheet" href="https://evil.invalid/x.css"><style>@import "//evil.invalid"</style>',
    "$\\frac{1}{0}$ #010101 text0 url(#x)",
    "left \u202eright\u202c \u2066x\u2069 \x1b[31mred\x07 \x00 \ufffe \U000e0041",
    "時計台 🕰️ \ud800 \u2028 \u200b",
    "w" * 20_000,
)


def write_hostile(folder: Path) -> Path:
    """Write a dataset with every payload in every field that a page shows, its name among them."""
    rows = [_row(number, payload) for number, payload in enumerate(PAYLOADS)]
    path = folder / f"<img src=x onerror={MARK.replace('/', '')}>.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _row(number: int, payload: str) -> dict[str, Any]:
    documents = [[f"{payload} one.", "Two."], [payload]]
    return make_row(
        documents,
        [payload, f"Answer {number}."],
        id=f"{number}{payload}",
        question=payload,
        annotating_model_name=payload,
        generation_model_name=payload,
        dataset_name=payload,
        relevance_explanation=payload,
        overall_supported_explanation=payload,
        all_relevant_sentence_keys=["0a", "1a"],
        all_utilized_sentence_keys=["0a"] if number % 2 else [],
        sentence_support_information=[
            support_entry("a", ["0a"], explanation=payload),
            support_entry("b", [], fully=False, explanation=payload),
        ],
        unsupported_response_sentence_keys=["b"],
        half=0.5,
    ) | {PAYLOADS[3]: number / len(PAYLOADS)}
