-- Every statement the store runs, by name. Statements over a mind's own columns are completed in queries.py.

-- name: read_meta
SELECT value FROM meta WHERE name = ?;

-- name: write_meta
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: replace_content
UPDATE memories SET text = ?, phrase = ?, keywords = ?, kind = ?, domain = ?, speaker = ? WHERE id = ?;

-- name: put_relation
INSERT OR IGNORE INTO relations (id, name) VALUES (?, ?);

-- name: put_link
INSERT INTO links (source, target, relation, strength, since) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (source, target, relation) DO UPDATE SET strength = excluded.strength, since = excluded.since;

-- name: drop_link
DELETE FROM links WHERE source = ? AND target = ? AND relation = ?;

-- name: move_to_trash
INSERT INTO trash (id, key, text, phrase, keywords, kind, domain, speaker, born, forgotten_at, cause, way_back)
SELECT id, key, text, phrase, keywords, kind, domain, speaker, born, ?, ?, ? FROM memories WHERE id = ?;

-- name: recover_memory
INSERT INTO memories (key, text, phrase, keywords, kind, domain, speaker, id, born,
                      created_at, last_accessed_at, original_length, length, state, version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0.0, 0.0, 0, 0, 0, 0);

-- The columns beyond the text are placeholders: the touched rows that end every batch bring the true ones.
-- name: move_from_trash
INSERT INTO memories (id, key, text, phrase, keywords, kind, domain, speaker, born,
                      created_at, last_accessed_at, original_length, length, state, version)
SELECT id, ?1, text, phrase, keywords, kind, domain, speaker, born, ?2, ?2, 0, 0, 0, 0 FROM trash WHERE id = ?3;

-- name: drop_memory
DELETE FROM memories WHERE id = ?;

-- name: drop_trash
DELETE FROM trash WHERE id = ?;

-- name: read_trash
SELECT key, text, phrase, keywords, kind, domain, speaker, way_back FROM trash ORDER BY forgotten_at DESC, id DESC;

-- name: read_some_trash
SELECT key, text, phrase, keywords, kind, domain, speaker, way_back FROM trash
WHERE (:key IS NULL OR key = :key) AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
  AND (:until IS NULL OR forgotten_at <= :until)
ORDER BY forgotten_at DESC, id DESC LIMIT :limit;

-- name: put_task
INSERT INTO tasks (id, body) VALUES (?, ?);

-- name: drop_tasks
DELETE FROM tasks;

-- name: read_tasks
SELECT body FROM tasks;

-- name: put_entry
INSERT INTO journal (seq, at, kind, memory, token, body) VALUES (?, ?, ?, ?, ?, ?);

-- name: read_journal
SELECT seq, kind, body, token FROM journal WHERE seq > ? ORDER BY seq LIMIT ?;

-- Its put is not in the index, see there. Only for a memory that is gone for good, or came back from an archive after
-- it was, is the journal searched for it.
-- name: read_journal_of_memory
SELECT seq, kind, body, token FROM journal
WHERE seq > ?2 AND seq IN (
    SELECT born FROM memories WHERE id = ?1
    UNION ALL SELECT born FROM trash WHERE id = ?1
    UNION ALL SELECT seq FROM journal WHERE memory = ?1 AND kind <> 'put'
    UNION ALL SELECT seq
              FROM (SELECT 1 WHERE (NOT EXISTS (SELECT 1 FROM memories WHERE id = ?1)
                                AND NOT EXISTS (SELECT 1 FROM trash WHERE id = ?1))
                                OR EXISTS (SELECT 1 FROM journal
                                           WHERE memory = ?1 AND kind <> 'put' AND kind = 'recover'))
              CROSS JOIN journal  -- in this order: for nobody else is the journal searched
              WHERE memory = ?1 AND kind = 'put')
ORDER BY seq LIMIT ?3;

-- The hot entries a crash may have left out of the tables.
-- name: read_hot_entries
SELECT seq, kind, body, token FROM journal
WHERE seq > ?
AND kind IN ('access', 'touch', 'traverse', 'scan', 'appraise', 'tick', 'enqueue', 'settle', 'set_aside', 'requeue')
ORDER BY seq;

-- name: last_entry
SELECT coalesce(max(seq), 0) FROM journal;

-- Batches by name with their last entries: a batch ends where the next one begins.
-- name: recent_tokens
SELECT token, coalesce(lead(seq) OVER (ORDER BY seq), (SELECT max(seq) + 1 FROM journal)) - 1
FROM (SELECT token, seq FROM journal WHERE token IS NOT NULL ORDER BY seq DESC LIMIT ?)
ORDER BY seq;

-- name: count_journal
SELECT count(*) FROM journal;

-- name: drop_journal
DELETE FROM journal WHERE seq <= ?;

-- name: read_keys
SELECT key, id FROM memories;

-- name: read_relations
SELECT name FROM relations ORDER BY id;

-- name: read_links
SELECT source, target, relation, strength, since FROM links;

-- name: highest_ids
SELECT max((SELECT coalesce(max(id), 0) FROM memories), (SELECT coalesce(max(id), 0) FROM trash));

-- name: read_contents
SELECT id, key, text, phrase, keywords, kind, domain, speaker FROM memories WHERE id IN (SELECT value FROM json_each(?));

-- name: read_all_contents
SELECT id, key, text, phrase, keywords, kind, domain, speaker FROM memories;

-- name: page
SELECT id FROM memories
WHERE id > :after
  AND (:kind IS NULL OR kind = :kind)
  AND (:domain IS NULL OR domain = :domain)
ORDER BY id LIMIT :limit;

-- name: drop_base
DELETE FROM base;

-- name: put_base
INSERT INTO base (part, body) VALUES (?, ?);

-- name: read_base
SELECT body FROM base ORDER BY part;

-- name: put_pair
INSERT INTO pairs (one, other, overlap) VALUES (?, ?, ?)
ON CONFLICT (one, other) DO UPDATE SET overlap = excluded.overlap;

-- name: drop_pair
DELETE FROM pairs WHERE one = ? AND other = ?;

-- name: drop_pairs_of
DELETE FROM pairs WHERE one = ?1 OR other = ?1;

-- name: read_pairs
SELECT one, other, overlap FROM pairs;

-- name: put_dismissed
INSERT INTO dismissed (kind, ids, facts) VALUES (?, ?, ?) ON CONFLICT (kind, ids) DO UPDATE SET facts = excluded.facts;

-- name: drop_dismissed
DELETE FROM dismissed WHERE kind = ? AND ids = ?;

-- name: drop_dismissed_of
DELETE FROM dismissed
WHERE EXISTS (SELECT 1 FROM json_each(dismissed.ids) AS each WHERE each.value IN (SELECT value FROM json_each(?)));

-- name: read_dismissed
SELECT kind, ids, facts FROM dismissed;

-- name: put_recipe
INSERT OR IGNORE INTO recipes (analysis, space) VALUES (?, ?);

-- name: put_indexed
INSERT INTO index_rows (id, terms, vector, recipe)
SELECT ?1, ?2, ?3, r.id FROM recipes r WHERE r.analysis = ?4 AND r.space = ?5
ON CONFLICT (id) DO UPDATE SET terms = excluded.terms, vector = excluded.vector, recipe = excluded.recipe;

-- name: put_vector
UPDATE index_rows SET vector = ?2, recipe = (SELECT id FROM recipes WHERE analysis = ?3 AND space = ?4) WHERE id = ?1;

-- name: drop_indexed
DELETE FROM index_rows WHERE id = ?;

-- name: read_indexed
SELECT i.id, i.terms, CASE WHEN r.space = ?2 THEN i.vector END
FROM index_rows i JOIN recipes r ON r.id = i.recipe WHERE r.analysis = ?1;
