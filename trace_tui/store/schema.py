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
        SELECT record, 'judge', {title}, NULL, labels FROM judgements
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
        SELECT pairs.record, {{title}} AS judge, pairs.annotator, definition,
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
        db.execute(_strict(db, table))
    views = (
        _LABELS_VIEW.format(title="trim(judge || ' ' || model)"),
        _SCORES_VIEW.format(title="trim(judge.judge || ' ' || judge.model)"),
    )
    for statement in (*_INDEXES_AND_TRIGGERS, *views):
        db.execute(statement)


_JUDGEMENTS_WITH_PROMPTS: Final = """
    CREATE TABLE judgements_with_prompts (
        id INTEGER NOT NULL PRIMARY KEY,
        record TEXT NOT NULL REFERENCES records (uid),
        judge TEXT NOT NULL,
        model TEXT NOT NULL,
        version TEXT NOT NULL,
        prompt TEXT NOT NULL DEFAULT '',    -- version of what a model was asked
        title TEXT GENERATED ALWAYS AS (
            trim(judge || ' ' || model) || CASE prompt WHEN '' THEN '' ELSE ' @' || prompt END
        ) VIRTUAL,
        about TEXT NOT NULL,
        created_at TEXT NOT NULL,
        sentences INTEGER NOT NULL,
        relevant INTEGER NOT NULL,
        utilized INTEGER NOT NULL,
        common INTEGER NOT NULL,
        response_sentences INTEGER NOT NULL,
        unsupported INTEGER NOT NULL,
        unjudged INTEGER NOT NULL,
        request TEXT NOT NULL DEFAULT '',   -- hash of all that was asked; '' where nothing was
        repairs TEXT NOT NULL DEFAULT '{}', -- what was mended in the reply, and how often
        parameters TEXT NOT NULL,
        confidence TEXT NOT NULL DEFAULT '{}',
        labels TEXT NOT NULL,
        UNIQUE (record, judge, model, version)
    )"""
_OLD_COLUMNS: Final = """id, record, judge, model, version, about, created_at, sentences, relevant, utilized, common,
    response_sentences, unsupported, unjudged, parameters, labels"""
_CALLS: Final = """
    CREATE TABLE calls (                    -- append-only: each record put to a model, and what came of it
        id INTEGER NOT NULL PRIMARY KEY,
        record TEXT NOT NULL REFERENCES records (uid),
        judge TEXT NOT NULL,                -- as judgements.title
        at TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('labelled', 'failed')),
        cause TEXT NOT NULL,
        detail TEXT NOT NULL,
        requests INTEGER NOT NULL,          -- sent, the failed ones too; 0 where an equal one had been answered before
        prompt_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        seconds REAL NOT NULL,
        request TEXT NOT NULL,
        reply TEXT NOT NULL,                -- the raw reply of a failed call, free of secrets
        UNIQUE (record, judge, at)
    )"""
_CONSENTS: Final = """
    CREATE TABLE consents (                 -- to what host the documents of a dataset may go
        dataset TEXT NOT NULL,
        host TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (dataset, host)
    ) WITHOUT ROWID"""


@migrations()
def model_calls(db: Database) -> None:
    """Version 2: judges with prompts, the calls of models, and to what host documents may go."""
    statements = (
        "DROP VIEW labels",
        "DROP VIEW scores",
        # Reviews point to the table that is replaced, and must not while it is.
        "CREATE TEMP TABLE compared AS SELECT record, annotator, judgement FROM reviews WHERE judgement IS NOT NULL",
        "UPDATE reviews SET judgement = NULL",
        _strict(db, _JUDGEMENTS_WITH_PROMPTS),
        f"INSERT INTO judgements_with_prompts ({_OLD_COLUMNS}) SELECT {_OLD_COLUMNS} FROM judgements",
        "DROP TABLE judgements",
        "ALTER TABLE judgements_with_prompts RENAME TO judgements",
        """UPDATE reviews SET judgement = compared.judgement FROM temp.compared
        WHERE (compared.record, compared.annotator) = (reviews.record, reviews.annotator)""",
        "DROP TABLE temp.compared",
        "CREATE INDEX judgements_by_title ON judgements (title)",
        "CREATE INDEX judgements_by_request ON judgements (request) WHERE request <> ''",
        _strict(db, _CALLS),
        "CREATE INDEX calls_by_judge ON calls (judge)",
        _strict(db, _CONSENTS),
        _LABELS_VIEW.format(title="title"),
        _SCORES_VIEW.format(title="judge.title"),
    )
    for statement in statements:
        db.execute(statement)


def _strict(db: Database, table: str) -> str:
    if not db.supports_strict:
        return table
    return f"{table}, STRICT" if table.endswith("WITHOUT ROWID") else f"{table} STRICT"
