"""Tables and views, as named migrations that are only ever appended to.

Plain enough to be read with sqlite-utils and Datasette: sets are JSON arrays, every count has a column, and the
scores follow from the counts in a view. In each table the long texts stand last, so that SQLite need not read
through them on its way to a number.
"""

from typing import Final

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

migrations = Migrations("trace-tui")

_TABLES: Final = (
    """
    CREATE TABLE records (
        uid TEXT NOT NULL PRIMARY KEY,
        record_id TEXT NOT NULL,            -- the row's own id as JSON: 7 and "7" are two ids
        generator TEXT NOT NULL,
        annotator_model TEXT NOT NULL,
        split TEXT NOT NULL,                -- what cut the sentences: given, or the splitter's name
        documents INTEGER NOT NULL,
        introduced_at TEXT NOT NULL,
        question TEXT NOT NULL,
        response TEXT NOT NULL
    )""",
    """
    CREATE TABLE sentences (
        record TEXT NOT NULL REFERENCES records (uid),
        key TEXT NOT NULL,                  -- doc_0_s0, resp_s0
        position INTEGER NOT NULL,          -- in reading order, the response last
        document INTEGER,                   -- from 0; null in the response
        span_start INTEGER,                 -- code points in the document or response; null where the row came
        span_end INTEGER,                   -- with its own sentences
        alias TEXT NOT NULL,                -- the key by which the row itself knows the sentence
        text TEXT NOT NULL,
        PRIMARY KEY (record, key)
    ) WITHOUT ROWID""",
    """
    CREATE TABLE judgements (
        id INTEGER NOT NULL PRIMARY KEY,
        record TEXT NOT NULL REFERENCES records (uid),
        judge TEXT NOT NULL,
        model TEXT NOT NULL,
        version TEXT NOT NULL,
        about TEXT NOT NULL,
        created_at TEXT NOT NULL,
        sentences INTEGER NOT NULL,
        relevant INTEGER NOT NULL,
        utilized INTEGER NOT NULL,
        common INTEGER NOT NULL,
        response_sentences INTEGER NOT NULL,
        unsupported INTEGER NOT NULL,
        unjudged INTEGER NOT NULL,
        parameters TEXT NOT NULL,
        labels TEXT NOT NULL,
        UNIQUE (record, judge, model, version)
    )""",
    """
    CREATE TABLE reviews (
        record TEXT NOT NULL REFERENCES records (uid),
        annotator TEXT NOT NULL,
        judgement INTEGER REFERENCES judgements (id),
        dataset TEXT NOT NULL,              -- under which name it was first reviewed
        position INTEGER NOT NULL,          -- of the row in the dataset, when last seen
        status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'skipped')),
        flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
        started_at TEXT NOT NULL,
        accepted_at TEXT NOT NULL DEFAULT '',
        seconds REAL NOT NULL DEFAULT 0,
        overrides INTEGER NOT NULL DEFAULT 0,
        sentences INTEGER NOT NULL,
        relevant INTEGER NOT NULL DEFAULT 0,
        utilized INTEGER NOT NULL DEFAULT 0,
        common INTEGER NOT NULL DEFAULT 0,
        response_sentences INTEGER NOT NULL,
        unsupported INTEGER NOT NULL DEFAULT 0,
        unjudged INTEGER NOT NULL DEFAULT 0,
        blind_relevant INTEGER,             -- all null unless the record was accepted blind
        blind_utilized INTEGER,
        blind_common INTEGER,
        blind_unsupported INTEGER,
        blind_unjudged INTEGER,
        blind_overrides INTEGER NOT NULL DEFAULT 0,
        revised INTEGER NOT NULL DEFAULT 0, -- 1 if the labels were changed after what was accepted blind
        mode TEXT GENERATED ALWAYS AS (
            CASE WHEN blind_relevant IS NOT NULL AND NOT revised THEN 'blind' ELSE 'assisted' END
        ) VIRTUAL,
        adopted TEXT NOT NULL DEFAULT '',   -- the record, gone from the dataset, whose labels were taken over
        note TEXT NOT NULL DEFAULT '',
        settled TEXT NOT NULL,
        labels TEXT NOT NULL,
        blind TEXT,
        PRIMARY KEY (record, annotator)
    )""",
    """
    CREATE TABLE edits (
        seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        at TEXT NOT NULL,
        annotator TEXT NOT NULL,
        record TEXT NOT NULL,
        action TEXT NOT NULL,
        kind TEXT NOT NULL,
        target TEXT,                        -- the edit that an undo or redo speaks of
        seconds REAL NOT NULL,
        old TEXT NOT NULL,                  -- JSON object: the cells changed and what they held
        new TEXT NOT NULL,                  -- the same cells and what they hold now
        FOREIGN KEY (record, annotator) REFERENCES reviews (record, annotator)
    )""",
    """
    CREATE TABLE sightings (
        record TEXT NOT NULL,               -- perhaps not in records: looking is not reviewing
        annotator TEXT NOT NULL,
        judge TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (record, annotator, judge)
    ) WITHOUT ROWID""",
    """
    CREATE TABLE places (
        dataset TEXT NOT NULL,
        annotator TEXT NOT NULL,
        position INTEGER NOT NULL,
        record TEXT NOT NULL,
        focus TEXT NOT NULL,
        PRIMARY KEY (dataset, annotator)
    ) WITHOUT ROWID""",
)

_INDEXES_AND_TRIGGERS: Final = (
    "CREATE INDEX records_by_id ON records (record_id)",
    "CREATE INDEX reviews_by_annotator ON reviews (annotator, position)",
    "CREATE INDEX reviews_by_judgement ON reviews (judgement)",
    "CREATE INDEX edits_by_annotator ON edits (annotator)",
    """
    CREATE TRIGGER edits_are_never_changed BEFORE UPDATE ON edits
    BEGIN SELECT RAISE(ABORT, 'the log of edits is append-only'); END""",
    """
    CREATE TRIGGER edits_are_never_deleted BEFORE DELETE ON edits
    BEGIN SELECT RAISE(ABORT, 'the log of edits is append-only'); END""",
)

_LABELS_VIEW: Final = """
    CREATE VIEW labels AS
    WITH said (record, source, who, status, labels) AS (
        SELECT record, 'judge', trim(judge || ' ' || model), NULL, labels FROM judgements
        UNION ALL SELECT record, 'human', annotator, status, labels FROM reviews
        UNION ALL SELECT record, 'blind', annotator, status, blind FROM reviews WHERE blind IS NOT NULL
    ),
    cells (record, source, who, status, key, label, value) AS (
        SELECT record, source, who, status, mark.value, 'relevant', 'yes'
        FROM said, json_each(said.labels, '$.relevant') AS mark
        UNION ALL
        SELECT record, source, who, status, mark.value, 'utilized', 'yes'
        FROM said, json_each(said.labels, '$.utilized') AS mark
        UNION ALL
        SELECT record, source, who, status, support.key, 'supports', link.value
        FROM said, json_each(said.labels, '$.supports') AS support, json_each(support.value, '$.keys') AS link
        UNION ALL
        SELECT record, source, who, status, support.key, 'reason', json_extract(support.value, '$.reason')
        FROM said, json_each(said.labels, '$.supports') AS support
        WHERE json_extract(support.value, '$.reason') IS NOT NULL
        UNION ALL
        SELECT said.record, source, who, status, sentences.key, 'verdict',
            coalesce(json_extract(said.labels, '$.supports.' || sentences.key || '.verdict'), 'unjudged')
        FROM said JOIN sentences ON sentences.record = said.record AND sentences.document IS NULL
    )
    SELECT cells.record, source, who, status, cells.key, sentences.text, label, value
    FROM cells LEFT JOIN sentences ON sentences.record = cells.record AND sentences.key = cells.key
"""

# The formulas of `trace_tui.scoring.scores`. What is undefined is null: so is a division by zero, and min() of a null.
_FORMULAS: Final = """
    CASE WHEN {side}.sentences = 0 THEN NULL
        WHEN definition = 'ragbench' THEN 1.0 * {side}.relevant / {side}.sentences
        ELSE min(1.0, {side}.relevant / 20.0) END AS {side}_context_relevance,
    CASE WHEN definition = 'ragbench' THEN 1.0 * {side}.utilized / {side}.sentences
        ELSE min(1.0, 1.0 * {side}.utilized / {side}.relevant) END AS {side}_context_utilization,
    CASE WHEN definition = 'ragbench' AND {side}.relevant = 0 THEN 1.0
        ELSE 1.0 * {side}.common / {side}.relevant END AS {side}_completeness,
    CASE WHEN {side}.unsupported > 0 THEN 0.0
        WHEN {side}.unjudged = 0 AND {side}.response_sentences > 0 THEN 1.0 END AS {side}_adherence
"""
_AVERAGE: Final = """
    ({side}_context_relevance + {side}_context_utilization + {side}_completeness + {side}_adherence) / 4
        AS {side}_average
"""
# Mode 1 of section 4: the standard deviation. Only this view needs an SQLite with mathematical functions.
_BALANCE: Final = """
    sqrt((({side}_context_relevance - {side}_average) * ({side}_context_relevance - {side}_average)
        + ({side}_context_utilization - {side}_average) * ({side}_context_utilization - {side}_average)
        + ({side}_completeness - {side}_average) * ({side}_completeness - {side}_average)
        + ({side}_adherence - {side}_average) * ({side}_adherence - {side}_average)) / 4)
        AS {side}_rmse_aggregation
"""
_SCORES_VIEW: Final = f"""
    CREATE VIEW scores AS
    WITH reviewed AS (
        SELECT record, annotator, judgement, mode, status, status = 'accepted' AS counts,
            sentences, relevant, utilized, common, response_sentences, unsupported, unjudged
        FROM reviews
        UNION ALL
        SELECT record, annotator, judgement, 'blind', status, 1,
            sentences, blind_relevant, blind_utilized, blind_common, response_sentences, blind_unsupported,
            blind_unjudged
        FROM reviews WHERE revised
    ),
    -- Human scores exist for accepted records only; what was accepted blind stays so.
    human AS (SELECT * FROM reviewed WHERE counts),
    pairs AS (
        SELECT record, annotator, mode, status, judgement FROM reviewed
        UNION ALL
        SELECT record, NULL, NULL, NULL, id FROM judgements
        WHERE NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.judgement = judgements.id)
    ),
    definitions (definition) AS (VALUES ('gpt-labeling'), ('ragbench')),
    scored AS (
        SELECT pairs.record, trim(judge.judge || ' ' || judge.model) AS judge, pairs.annotator, definition,
            pairs.mode, pairs.status, {_FORMULAS.format(side="judge")}, {_FORMULAS.format(side="human")}
        FROM pairs CROSS JOIN definitions
        LEFT JOIN judgements AS judge ON judge.id = pairs.judgement
        LEFT JOIN human ON human.record = pairs.record AND human.annotator = pairs.annotator
            AND human.mode = pairs.mode
    ),
    averaged AS (SELECT *, {_AVERAGE.format(side="judge")}, {_AVERAGE.format(side="human")} FROM scored)
    SELECT *, {_BALANCE.format(side="judge")}, {_BALANCE.format(side="human")} FROM averaged
"""


@migrations()
def first_tables(db: Database) -> None:
    """Make the tables of version 1. STRICT where this SQLite knows it."""
    for table in _TABLES:
        db.execute(_strict(table) if db.supports_strict else table)
    for statement in (*_INDEXES_AND_TRIGGERS, _LABELS_VIEW, _SCORES_VIEW):
        db.execute(statement)


def _strict(table: str) -> str:
    return f"{table}, STRICT" if table.endswith("WITHOUT ROWID") else f"{table} STRICT"
