-- Who said a memory: a name or a role. Empty: not known.

ALTER TABLE memories ADD COLUMN speaker TEXT NOT NULL DEFAULT '';
ALTER TABLE trash ADD COLUMN speaker TEXT NOT NULL DEFAULT '';

DROP VIEW IF EXISTS memory_states;
CREATE VIEW memory_states AS
SELECT id, key, CASE state WHEN 0 THEN 'active' WHEN 1 THEN 'cold' WHEN 2 THEN 'deprecated'
                           WHEN 3 THEN 'expired' WHEN 4 THEN 'fading' ELSE 'vanishing' END AS state,
       score, phrase, text, speaker
FROM memories;
