-- The data of old events about positions, packed: many of one connection in a block.
CREATE TABLE event_block (
    tenant_id     TEXT NOT NULL,
    first         INTEGER NOT NULL,
    last          INTEGER NOT NULL,
    connection_id TEXT NOT NULL,
    data          BLOB NOT NULL,
    PRIMARY KEY (tenant_id, first)
);
-- The first number of the block that has the data of an event; data is empty then, and
-- packed null.
ALTER TABLE event ADD COLUMN block INTEGER;
-- The number up to which a feed's events about positions lie in blocks.
ALTER TABLE event_sequence ADD COLUMN blocks_to BIGINT NOT NULL DEFAULT 0;
-- No blocks of events are made before this: processes of the version before could not
-- read them.
ALTER TABLE packed_before ADD COLUMN events_not_before BIGINT NOT NULL DEFAULT 0;
