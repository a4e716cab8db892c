-- What SQLite has otherwise than PostgreSQL.

-- A device's positions lie together. Its id is kept in its 16 bytes, because it is in
-- every row.
CREATE TABLE position (
    device    BLOB NOT NULL,
    time      INTEGER NOT NULL,
    latitude  REAL NOT NULL,
    longitude REAL NOT NULL,
    heading   REAL,
    speed_kph REAL,
    odometer  REAL,
    ignition  BOOLEAN,
    auxiliary BOOLEAN,
    driver_id TEXT,
    suspect   TEXT,
    PRIMARY KEY (device, time)
) WITHOUT ROWID;

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  UUID NOT NULL,
    device_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
) WITHOUT ROWID;

-- Names and plates are looked for by their beginning.
CREATE INDEX device_search_registration ON device (tenant_id, LOWER(registration));
CREATE INDEX device_search_description ON device (tenant_id, LOWER(description));
CREATE INDEX device_search_system_device_id ON device (tenant_id, LOWER(system_device_id));
