-- The stand of each device that no stored trip has ended yet: it goes on, or the trip
-- under way began at end_time. Its numbers are counted once that trip is stored.
CREATE TABLE open_stand (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    id            UUID NOT NULL,
    connection_id UUID NOT NULL,
    latitude      DOUBLE PRECISION,
    longitude     DOUBLE PRECISION,
    start_time    BIGINT NOT NULL,
    end_time      BIGINT,
    PRIMARY KEY (tenant_id, device_id)
);
CREATE INDEX open_stand_time ON open_stand (tenant_id, start_time, id);
