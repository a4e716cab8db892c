-- The data of an event, packed; data is empty then.
ALTER TABLE event ADD COLUMN packed BLOB;
-- Nothing is packed before this: processes of the version before could not read it.
ALTER TABLE packed_before ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;
-- The number up to which a feed has no events about positions any more: they are kept for
-- a shorter time than others.
ALTER TABLE event_sequence ADD COLUMN positions_after BIGINT NOT NULL DEFAULT 0;
