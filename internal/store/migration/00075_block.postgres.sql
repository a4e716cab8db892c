-- Settled positions, packed: one row for a device's day, or for a part of a large one.
CREATE TABLE position_block (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    first     BIGINT NOT NULL,
    last      BIGINT NOT NULL,
    rows      BIGINT NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, device_id, first)
);
CREATE INDEX position_block_first ON position_block (tenant_id, first);
ALTER TABLE position_block ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed already

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  UUID NOT NULL,
    device_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- Nothing of this time or later is packed.
CREATE TABLE packed_before (
    id    BIGINT PRIMARY KEY CHECK (id = 1),
    time  BIGINT NOT NULL,
    since BIGINT NOT NULL
);
INSERT INTO packed_before (id, time, since) VALUES (1, -9000000000000000, 0);
