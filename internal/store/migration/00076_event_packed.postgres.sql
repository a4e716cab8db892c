-- The data of an event, packed; data is empty then.
ALTER TABLE event ADD COLUMN packed BYTEA;
ALTER TABLE event ALTER COLUMN packed SET STORAGE EXTERNAL;
-- Nothing is packed before this: processes of the version before could not read it, and
-- may run beside this one for as long.
ALTER TABLE packed_before ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;
UPDATE packed_before SET not_before = (EXTRACT(EPOCH FROM now()) * 1000)::bigint + 86400000 WHERE EXISTS (SELECT 1 FROM tenant);
-- The number up to which a feed has no events about positions any more: they are kept for
-- a shorter time than others.
ALTER TABLE event_sequence ADD COLUMN positions_after BIGINT NOT NULL DEFAULT 0;
