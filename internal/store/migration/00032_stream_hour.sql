-- How the runs of a connection's streams went, by the hour since 1970. Hours of
-- more than two days ago are forgotten.
CREATE TABLE stream_hour (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    kind          TEXT NOT NULL,
    hour          BIGINT NOT NULL,
    runs          BIGINT NOT NULL,
    failures      BIGINT NOT NULL,
    records       BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, kind, hour)
);
CREATE INDEX stream_hour_age ON stream_hour (hour);
