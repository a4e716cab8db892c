-- A device's positions lie together. Its id is kept in its 16 bytes, because it
-- stands in every row.
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
