-- Searching, reinforcing and letting go.

ALTER TABLE memories ADD COLUMN exposed_at REAL;  -- retention minds: when the last link that protected it went
ALTER TABLE memories ADD COLUMN pruned_at REAL;   -- retention minds: when the reaper took its text

-- What memories are found by. All of it follows from their texts: it may be thrown away and made again at any time.
-- `made_by` names how: the analysis of words, and the embedder with its dimensions.
CREATE TABLE recipes (
    id       INTEGER PRIMARY KEY,
    analysis TEXT NOT NULL,
    space    TEXT NOT NULL,
    UNIQUE (analysis, space)
) STRICT;

CREATE TABLE index_rows (
    id      INTEGER PRIMARY KEY,
    terms   BLOB NOT NULL,                       -- codes of words and how often each occurs; no word can be read from it
    vector  BLOB,                                -- float16; NULL: not embedded yet, or pruned
    recipe  INTEGER NOT NULL
) STRICT;

-- Memories that say nearly the same, the lower id first.
CREATE TABLE pairs (
    one     INTEGER NOT NULL,
    other   INTEGER NOT NULL,
    overlap REAL NOT NULL,
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX pairs_by_other ON pairs (other);

-- Suggestions somebody does not want as long as their facts are these.
CREATE TABLE dismissed (
    kind  TEXT NOT NULL,
    ids   TEXT NOT NULL,                         -- a JSON list
    facts TEXT NOT NULL,
    PRIMARY KEY (kind, ids)
) STRICT, WITHOUT ROWID;
