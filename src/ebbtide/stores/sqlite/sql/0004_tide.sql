-- Tide: need by use, content and what the mind is used for. NULL in minds with another metabolism.

ALTER TABLE memories ADD COLUMN use_long REAL;         -- confirmed uses as they stood at `used_at`
ALTER TABLE memories ADD COLUMN use_short REAL;
ALTER TABLE memories ADD COLUMN used_at REAL;
ALTER TABLE memories ADD COLUMN prior REAL;            -- by what it says, 0 to 1; -1: its words were not read yet
ALTER TABLE memories ADD COLUMN superseded REAL;       -- how much a newer memory says the same, 0 to 1
ALTER TABLE memories ADD COLUMN superseded_by INTEGER; -- which one; 0: none
