-- One mind. Texts live here; hot columns (counters, and what ticks find) are here as of the last checkpoint or the
-- row's `version` (the journal entry that last moved it), and brought up to date from the journal on opening.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    id               INTEGER PRIMARY KEY,
    key              TEXT NOT NULL UNIQUE,
    text             TEXT NOT NULL,
    phrase           TEXT NOT NULL,
    keywords         TEXT NOT NULL,              -- a JSON list
    kind             TEXT NOT NULL,
    domain           TEXT NOT NULL,
    born             INTEGER NOT NULL,           -- the journal entry that put it
    created_at       REAL NOT NULL,
    access_count     INTEGER NOT NULL DEFAULT 0,
    traverse_count   INTEGER NOT NULL DEFAULT 0,
    last_accessed_at REAL NOT NULL,
    last_linked_at   REAL,                       -- NULL: never
    last_touched_at  REAL,
    scan_count       INTEGER NOT NULL DEFAULT 0,
    original_length  INTEGER NOT NULL,
    length           INTEGER NOT NULL,
    state            INTEGER NOT NULL,           -- by the last tick; `memory_states` has names
    marks            INTEGER NOT NULL DEFAULT 0, -- 1 delete candidate, 2 merge candidate
    version          INTEGER NOT NULL,
    base             REAL,                       -- score minds
    scored_at        REAL,
    weight           REAL,
    score            INTEGER CHECK (score BETWEEN 0 AND 100),
    importance       REAL,                       -- retention minds
    strength         REAL,
    policy           INTEGER
) STRICT;

CREATE INDEX memories_by_score ON memories (score) WHERE score IS NOT NULL;

CREATE TABLE relations (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE links (
    source   INTEGER NOT NULL,
    target   INTEGER NOT NULL,                   -- may be gone: then this link is a trace
    relation INTEGER NOT NULL,
    strength REAL NOT NULL,
    since    INTEGER NOT NULL,                   -- the source's scan_count when the strength was set
    PRIMARY KEY (source, target, relation)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_target ON links (target);

CREATE TABLE trash (
    id           INTEGER PRIMARY KEY,
    key          TEXT NOT NULL,
    text         TEXT NOT NULL,
    phrase       TEXT NOT NULL,
    keywords     TEXT NOT NULL,
    kind         TEXT NOT NULL,
    domain       TEXT NOT NULL,
    born         INTEGER NOT NULL,
    forgotten_at REAL NOT NULL,
    cause        TEXT NOT NULL,
    way_back     TEXT NOT NULL                   -- JSON: signals, links, and what its leaving did to others
) STRICT;

CREATE INDEX trash_by_key ON trash (key);

CREATE TABLE journal (
    seq    INTEGER PRIMARY KEY,
    at     REAL NOT NULL,
    kind   TEXT NOT NULL,
    memory INTEGER,                              -- the memory it is about, if it is about one
    token  TEXT,                                 -- the batch's name, on the first entry of a batch
    body   TEXT NOT NULL
) STRICT;

-- Without the puts, which would all have to write to it: the memory's own row says which entry that was.
CREATE INDEX journal_by_memory ON journal (memory) WHERE memory IS NOT NULL AND kind <> 'put';

-- The mind's queue as of the last checkpoint: tasks that wait, and tasks that failed and were set aside.
CREATE TABLE tasks (
    id   INTEGER PRIMARY KEY,
    body TEXT NOT NULL                           -- JSON
) STRICT;

-- Where the journal starts from once its beginning has been folded away: a packed snapshot, in pieces.
CREATE TABLE base (
    part INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- For people who look at the tables.
CREATE VIEW memory_states AS
SELECT id, key, CASE state WHEN 0 THEN 'active' WHEN 1 THEN 'cold' WHEN 2 THEN 'deprecated'
                           WHEN 3 THEN 'expired' WHEN 4 THEN 'fading' ELSE 'vanishing' END AS state,
       score, phrase, text
FROM memories;

CREATE VIEW named_links AS
SELECT s.key AS source, r.name AS relation, t.key AS target, l.strength
FROM links l
JOIN relations r ON r.id = l.relation
JOIN memories s ON s.id = l.source
LEFT JOIN memories t ON t.id = l.target;
