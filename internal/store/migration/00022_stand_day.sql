-- The sums of stands by the day on which they started.
CREATE TABLE stand_day (
    tenant_id     UUID NOT NULL,
    day           BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    stands        BIGINT NOT NULL,
    duration_ms   BIGINT NOT NULL,
    engine_on_ms  BIGINT NOT NULL,
    auxiliary_ms  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, connection_id)
);
INSERT INTO stand_day (tenant_id, day, connection_id, stands, duration_ms, engine_on_ms, auxiliary_ms)
SELECT tenant_id, start_time / 86400000, connection_id, COUNT(*), SUM(end_time - start_time),
    SUM(CAST(ROUND(COALESCE(engine_on_seconds, 0) * 1000) AS BIGINT)), SUM(CAST(ROUND(COALESCE(auxiliary_seconds, 0) * 1000) AS BIGINT))
FROM stand GROUP BY tenant_id, start_time / 86400000, connection_id;
