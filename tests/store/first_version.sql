BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'trace-tui','first_tables','2026-11-30 22:09:14.138804+00:00');
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
    ) STRICT;
INSERT INTO "edits" VALUES(1,'edit-1','2026-01-01T12:00:00Z','ann','r1','test','edit',NULL,1.5,'{"status":"open"}','{"status":"accepted"}');
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
    ) STRICT;
INSERT INTO "judgements" VALUES(1,'r1','recorded','gpt-4o','1','labels that came with the row','2026-01-01T12:00:00Z',2,2,1,1,2,1,0,'{"temperature":0}','{"relevant":["doc_0_s0","doc_0_s1"],"utilized":["doc_0_s0"],"supports":{"resp_s0":{"keys":["doc_0_s0"],"verdict":"supported","reason":null,"explanation":"it says so"},"resp_s1":{"keys":[],"verdict":"unsupported","reason":"general","explanation":""}},"relevance_explanation":"both speak of it","overall_explanation":""}');
CREATE TABLE places (
        dataset TEXT NOT NULL,
        annotator TEXT NOT NULL,
        position INTEGER NOT NULL,
        record TEXT NOT NULL,
        focus TEXT NOT NULL,
        PRIMARY KEY (dataset, annotator)
    ) WITHOUT ROWID, STRICT;
INSERT INTO "places" VALUES('rows.jsonl','ann',0,'r1','resp_s0');
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
    ) STRICT;
INSERT INTO "records" VALUES('r1','1','writer','gpt-4o','ours',2,'2026-01-01T12:00:00Z','Why?','Claim number 0.  Claim number 1.');
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
    ) STRICT;
INSERT INTO "reviews" VALUES('r1','ann',1,'rows.jsonl',0,'accepted',0,'2026-01-01T12:00:00Z','2026-01-01T12:00:00Z',1.5,0,2,2,1,1,2,1,0,NULL,NULL,NULL,NULL,NULL,0,0,'','','[]','{"relevant":["doc_0_s0","doc_0_s1"],"utilized":["doc_0_s0"],"supports":{"resp_s0":{"keys":["doc_0_s0"],"verdict":"supported","reason":null,"explanation":""},"resp_s1":{"keys":[],"verdict":"unsupported","reason":"general","explanation":""}},"relevance_explanation":"","overall_explanation":""}',NULL);
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
    ) WITHOUT ROWID, STRICT;
INSERT INTO "sentences" VALUES('r1','doc_0_s0',0,0,0,16,'alias doc_0_s0','Fact 0 number 0.');
INSERT INTO "sentences" VALUES('r1','doc_0_s1',1,0,18,34,'alias doc_0_s1','Fact 0 number 1.');
INSERT INTO "sentences" VALUES('r1','resp_s0',2,NULL,0,15,'alias resp_s0','Claim number 0.');
INSERT INTO "sentences" VALUES('r1','resp_s1',3,NULL,17,32,'alias resp_s1','Claim number 1.');
CREATE TABLE sightings (
        record TEXT NOT NULL,               -- perhaps not in records: looking is not reviewing
        annotator TEXT NOT NULL,
        judge TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (record, annotator, judge)
    ) WITHOUT ROWID, STRICT;
INSERT INTO "sightings" VALUES('r1','ann','recorded gpt-4o','2026-01-01T12:00:00Z');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX records_by_id ON records (record_id);
CREATE INDEX reviews_by_annotator ON reviews (annotator, position);
CREATE INDEX reviews_by_judgement ON reviews (judgement);
CREATE INDEX edits_by_annotator ON edits (annotator);
CREATE TRIGGER edits_are_never_changed BEFORE UPDATE ON edits
    BEGIN SELECT RAISE(ABORT, 'the log of edits is append-only'); END;
CREATE TRIGGER edits_are_never_deleted BEFORE DELETE ON edits
    BEGIN SELECT RAISE(ABORT, 'the log of edits is append-only'); END;
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
    FROM cells LEFT JOIN sentences ON sentences.record = cells.record AND sentences.key = cells.key;
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
            pairs.mode, pairs.status, 
    CASE WHEN judge.sentences = 0 THEN NULL
        WHEN definition = 'ragbench' THEN 1.0 * judge.relevant / judge.sentences
        ELSE min(1.0, judge.relevant / 20.0) END AS judge_context_relevance,
    CASE WHEN definition = 'ragbench' THEN 1.0 * judge.utilized / judge.sentences
        ELSE min(1.0, 1.0 * judge.utilized / judge.relevant) END AS judge_context_utilization,
    CASE WHEN definition = 'ragbench' AND judge.relevant = 0 THEN 1.0
        ELSE 1.0 * judge.common / judge.relevant END AS judge_completeness,
    CASE WHEN judge.unsupported > 0 THEN 0.0
        WHEN judge.unjudged = 0 AND judge.response_sentences > 0 THEN 1.0 END AS judge_adherence
, 
    CASE WHEN human.sentences = 0 THEN NULL
        WHEN definition = 'ragbench' THEN 1.0 * human.relevant / human.sentences
        ELSE min(1.0, human.relevant / 20.0) END AS human_context_relevance,
    CASE WHEN definition = 'ragbench' THEN 1.0 * human.utilized / human.sentences
        ELSE min(1.0, 1.0 * human.utilized / human.relevant) END AS human_context_utilization,
    CASE WHEN definition = 'ragbench' AND human.relevant = 0 THEN 1.0
        ELSE 1.0 * human.common / human.relevant END AS human_completeness,
    CASE WHEN human.unsupported > 0 THEN 0.0
        WHEN human.unjudged = 0 AND human.response_sentences > 0 THEN 1.0 END AS human_adherence

        FROM pairs CROSS JOIN definitions
        LEFT JOIN judgements AS judge ON judge.id = pairs.judgement
        LEFT JOIN human ON human.record = pairs.record AND human.annotator = pairs.annotator
            AND human.mode = pairs.mode
    ),
    averaged AS (SELECT *, 
    (judge_context_relevance + judge_context_utilization + judge_completeness + judge_adherence) / 4
        AS judge_average
, 
    (human_context_relevance + human_context_utilization + human_completeness + human_adherence) / 4
        AS human_average
 FROM scored)
    SELECT *, 
    sqrt(((judge_context_relevance - judge_average) * (judge_context_relevance - judge_average)
        + (judge_context_utilization - judge_average) * (judge_context_utilization - judge_average)
        + (judge_completeness - judge_average) * (judge_completeness - judge_average)
        + (judge_adherence - judge_average) * (judge_adherence - judge_average)) / 4)
        AS judge_rmse_aggregation
, 
    sqrt(((human_context_relevance - human_average) * (human_context_relevance - human_average)
        + (human_context_utilization - human_average) * (human_context_utilization - human_average)
        + (human_completeness - human_average) * (human_completeness - human_average)
        + (human_adherence - human_average) * (human_adherence - human_average)) / 4)
        AS human_rmse_aggregation
 FROM averaged;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('edits',1);
COMMIT;
PRAGMA application_id = 1414677317;
PRAGMA user_version = 1;
