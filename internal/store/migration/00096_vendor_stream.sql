-- The vendor's stream of a connection: under which claim it was opened last, when it was
-- opened or ended, and what it ended with. It is open for as long as that claim stands,
-- so that the stream of a process that died is over when its lease is.
ALTER TABLE collection ADD COLUMN stream_owner TEXT NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN stream_since BIGINT;
ALTER TABLE collection ADD COLUMN stream_message TEXT;
