-- Pinned by its owner: never hidden, expired, compressed, evicted, reaped or suggested for deletion.

ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
