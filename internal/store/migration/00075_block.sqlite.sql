-- Settled positions, packed: one row for a device's day, or for a part of a large one.
CREATE TABLE position_block (
    tenant_id TEXT NOT NULL,
    device_id TEXT NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    rows      INTEGER NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (tenant_id, device_id, first)
);
CREATE INDEX position_block_first ON position_block (tenant_id, first);

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  TEXT NOT NULL,
    device_id  TEXT NOT NULL,
    day        INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
) WITHOUT ROWID;

-- Nothing of this time or later is packed.
CREATE TABLE packed_before (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    time  INTEGER NOT NULL,
    since INTEGER NOT NULL
);
INSERT INTO packed_before (id, time, since) VALUES (1, -9000000000000000, 0);
