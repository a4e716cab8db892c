-- What happens between trips.
CREATE TABLE stand (
    tenant_id         UUID NOT NULL,
    id                UUID NOT NULL,
    connection_id     UUID NOT NULL,
    device_id         UUID NOT NULL,
    latitude          DOUBLE PRECISION,
    longitude         DOUBLE PRECISION,
    start_time        BIGINT NOT NULL,
    end_time          BIGINT NOT NULL,
    engine_on_seconds DOUBLE PRECISION,
    auxiliary_seconds DOUBLE PRECISION,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX stand_device_time ON stand (tenant_id, device_id, start_time);
CREATE INDEX stand_time ON stand (tenant_id, start_time, id);
