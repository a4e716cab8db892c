-- What a tenant, or one of its devices, has set for itself, as JSON. The subject is
-- the tenant's own id, or the device's.
CREATE TABLE setting (
    tenant_id  UUID NOT NULL,
    subject_id UUID NOT NULL,
    settings   TEXT NOT NULL,
    PRIMARY KEY (tenant_id, subject_id)
);

-- Jobs that derive the trips of a window anew, device by device in the order of their
-- ids. After device_after, all of that device is done up to reached. Whoever works on
-- one moves due_at on, so that others leave it alone; null once it is over.
CREATE TABLE recompute (
    tenant_id     UUID NOT NULL,
    id            UUID NOT NULL,
    state         TEXT NOT NULL,
    window_from   BIGINT NOT NULL,
    window_to     BIGINT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    notify        BOOLEAN NOT NULL,
    devices_total BIGINT NOT NULL,
    devices_done  BIGINT NOT NULL,
    device_after  UUID,
    reached       BIGINT,
    trips_added   BIGINT NOT NULL,
    trips_changed BIGINT NOT NULL,
    trips_removed BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    due_at        BIGINT,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT,
    finished_at   BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX recompute_due ON recompute (due_at) WHERE due_at IS NOT NULL;
