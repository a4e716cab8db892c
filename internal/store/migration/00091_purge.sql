-- Connections whose data is being erased. Whoever works on one moves due_at on, so
-- that others leave it alone. Events up to event_to go, of which those up to
-- event_after have gone.
CREATE TABLE purge (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    due_at        BIGINT NOT NULL,
    event_after   BIGINT NOT NULL,
    event_to      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id)
);
CREATE INDEX purge_due ON purge (due_at);
