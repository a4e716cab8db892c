-- What each device did on a day in the time zone that was in force: days are numbered
-- since 1970. It follows from the trips and stands, and changes with them.
CREATE TABLE device_day (
    tenant_id          UUID NOT NULL,
    device_id          UUID NOT NULL,
    day                BIGINT NOT NULL,
    trips              BIGINT NOT NULL,
    valid_trips        BIGINT NOT NULL,
    distance_mm        BIGINT NOT NULL,
    driving_ms         BIGINT NOT NULL,
    idling_ms          BIGINT NOT NULL,
    auxiliary_ms       BIGINT NOT NULL,
    stands             BIGINT NOT NULL,
    standing_ms        BIGINT NOT NULL,
    stand_engine_ms    BIGINT NOT NULL,
    stand_auxiliary_ms BIGINT NOT NULL,
    first_start        BIGINT,
    last_end           BIGINT,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- How a trip or a stand over midnight is divided among its days, as JSON; null for one
-- within a day, and before it is known.
ALTER TABLE trip ADD COLUMN parts TEXT;
ALTER TABLE stand ADD COLUMN parts TEXT;

-- A job of the kind days sums the days up anew.
ALTER TABLE recompute ADD COLUMN kind TEXT NOT NULL DEFAULT 'trips';
INSERT INTO recompute (tenant_id, id, kind, state, window_from, window_to, notify, devices_total, devices_done,
    trips_added, trips_changed, trips_removed, attempts, due_at, created_at)
SELECT id, id, 'days', 'queued', 0, 4503599627370495, FALSE, 0, 0, 0, 0, 0, 0, 0, 0 FROM tenant;
