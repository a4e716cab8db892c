-- The data of old events about positions, packed: many of one connection in a block.
CREATE TABLE event_block (
    tenant_id     UUID NOT NULL,
    first         BIGINT NOT NULL,
    last          BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    data          BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, first)
);
ALTER TABLE event_block ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed already
-- The first number of the block that has the data of an event; data is empty then, and
-- packed null.
ALTER TABLE event ADD COLUMN block BIGINT;
-- The number up to which a feed's events about positions lie in blocks.
ALTER TABLE event_sequence ADD COLUMN blocks_to BIGINT NOT NULL DEFAULT 0;
-- No blocks of events are made before this: processes of the version before could not
-- read them, and may run beside this one for as long.
ALTER TABLE packed_before ADD COLUMN events_not_before BIGINT NOT NULL DEFAULT 0;
UPDATE packed_before SET events_not_before = (EXTRACT(EPOCH FROM now()) * 1000)::bigint + 86400000 WHERE EXISTS (SELECT 1 FROM tenant);
