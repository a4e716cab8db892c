-- How many valid trips have each of the sums: a sum of none is not known.
ALTER TABLE trip_day ADD COLUMN distance_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_day ADD COLUMN driving_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_day ADD COLUMN idling_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_day ADD COLUMN auxiliary_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_total ADD COLUMN distance_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_total ADD COLUMN driving_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_total ADD COLUMN idling_known BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trip_total ADD COLUMN auxiliary_known BIGINT NOT NULL DEFAULT 0;
UPDATE trip_day SET distance_known = k.distance, driving_known = k.driving, idling_known = k.idling, auxiliary_known = k.auxiliary
FROM (SELECT tenant_id, connection_id, start_time / 86400000 AS day, COUNT(distance_metres) AS distance, COUNT(driving_seconds) AS driving,
        COUNT(idling_seconds) AS idling, COUNT(auxiliary_seconds) AS auxiliary
    FROM trip WHERE is_valid = TRUE GROUP BY tenant_id, connection_id, start_time / 86400000) AS k
WHERE trip_day.tenant_id = k.tenant_id AND trip_day.connection_id = k.connection_id AND trip_day.day = k.day;
UPDATE trip_total SET distance_known = k.distance, driving_known = k.driving, idling_known = k.idling, auxiliary_known = k.auxiliary
FROM (SELECT tenant_id, connection_id, SUM(distance_known) AS distance, SUM(driving_known) AS driving,
        SUM(idling_known) AS idling, SUM(auxiliary_known) AS auxiliary FROM trip_day GROUP BY tenant_id, connection_id) AS k
WHERE trip_total.tenant_id = k.tenant_id AND trip_total.connection_id = k.connection_id;
