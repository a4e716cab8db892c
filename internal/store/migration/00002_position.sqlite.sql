-- A device's positions lie together, under a short number instead of two UUIDs.
CREATE TABLE device_number (
    number    INTEGER PRIMARY KEY,
    device_id UUID NOT NULL UNIQUE
);

CREATE TABLE position (
    device    INTEGER NOT NULL,
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
