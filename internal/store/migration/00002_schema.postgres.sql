-- What PostgreSQL has otherwise than SQLite.

-- Partitioned by time: retention drops partitions. The store makes a partition when the
-- first position of its week arrives.
CREATE TABLE position (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    time      BIGINT NOT NULL,
    latitude  DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL,
    heading   DOUBLE PRECISION,
    speed_kph DOUBLE PRECISION,
    odometer  DOUBLE PRECISION,
    ignition  BOOLEAN,
    auxiliary BOOLEAN,
    driver_id TEXT,
    suspect   TEXT,
    PRIMARY KEY (tenant_id, device_id, time)
) PARTITION BY RANGE (time);

-- For suspect positions, whose times may be rubbish, of weeks that have no partition. The
-- check refuses any other that misses its partition, by which the store knows to make it.
CREATE TABLE position_default PARTITION OF position (
    CONSTRAINT position_default_suspect CHECK (suspect IS NOT NULL)
) DEFAULT;

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  UUID NOT NULL,
    device_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- These are compressed already.
ALTER TABLE event ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE event_block ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE position_block ALTER COLUMN data SET STORAGE EXTERNAL;

-- Names and plates are looked for by their beginning.
CREATE INDEX device_search_registration ON device (tenant_id, (LOWER(registration) COLLATE "C"));
CREATE INDEX device_search_description ON device (tenant_id, (LOWER(description) COLLATE "C"));
CREATE INDEX device_search_system_device_id ON device (tenant_id, (LOWER(system_device_id) COLLATE "C"));

-- The milestones of one device in the order of the list: those of all tenants were read
-- for them. SQLite, which plans by the text, would take it for an index of open ones.
CREATE INDEX milestone_of_device ON milestone (tenant_id, device_id, id);
