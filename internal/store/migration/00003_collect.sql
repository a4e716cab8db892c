-- What is kept of a device between two batches of positions, besides the newest
-- one: the fold of its trips, when silence ends the trip under way, and what its
-- trips taught about its pace.
ALTER TABLE device_latest ADD COLUMN trip_state BYTEA;
ALTER TABLE device_latest ADD COLUMN trip_due BIGINT;
ALTER TABLE device_latest ADD COLUMN profile TEXT;

CREATE INDEX device_latest_due ON device_latest (tenant_id, trip_due);

ALTER TABLE device ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;

-- Work: one row for each connection, claimed as a whole by one process at a time,
-- because vendors bound the calls of an account.
CREATE TABLE collection (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    due_at        BIGINT NOT NULL,
    leased_until  BIGINT NOT NULL DEFAULT 0,
    leased_by     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, connection_id)
);
CREATE INDEX collection_due ON collection (due_at);

-- The streams of a connection: devices, positions and trips as they come, and
-- history jobs, which read a window from its newest end.
CREATE TABLE stream (
    tenant_id          UUID NOT NULL,
    connection_id      UUID NOT NULL,
    id                 UUID NOT NULL,
    kind               TEXT NOT NULL,
    history            BOOLEAN NOT NULL,
    state              TEXT NOT NULL,
    position           TEXT NOT NULL,
    window_from        BIGINT NOT NULL,
    window_to          BIGINT,
    remaining_to       BIGINT,
    due_at             BIGINT NOT NULL,
    records            BIGINT NOT NULL DEFAULT 0,
    created_at         BIGINT NOT NULL,
    last_run_at        BIGINT,
    last_success_at    BIGINT,
    consecutive_errors BIGINT NOT NULL DEFAULT 0,
    last_error         TEXT,
    last_error_kind    TEXT,
    last_error_at      BIGINT,
    PRIMARY KEY (tenant_id, connection_id, id)
);

INSERT INTO collection (tenant_id, connection_id, due_at) SELECT tenant_id, id, created_at FROM connection;
