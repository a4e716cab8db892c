-- What is kept of finished journeys, to predict others: the newest of each device.
-- A trip and a milestone are journeys of different kinds.
CREATE TABLE journey (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    kind          TEXT NOT NULL,
    started_at    BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    journey       TEXT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, kind, started_at)
);
CREATE INDEX journey_connection ON journey (tenant_id, connection_id, kind, started_at);
CREATE INDEX journey_tenant ON journey (tenant_id, kind, started_at);

-- The range of a prediction, and what a router said; null where it is not known.
ALTER TABLE eta_prediction ADD COLUMN p10 BIGINT;
ALTER TABLE eta_prediction ADD COLUMN p90 BIGINT;
ALTER TABLE eta_prediction ADD COLUMN route_seconds DOUBLE PRECISION;
