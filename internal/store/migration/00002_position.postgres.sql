-- Partitioned by time: retention drops partitions. The store makes a partition
-- when the first position of its week arrives.
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
