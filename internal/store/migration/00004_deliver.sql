-- What is sent to whom. A target is a webhook, or a milestone with a webhook of
-- its own. The body is rendered from the event when it is sent; what depends on
-- the target's filters and options at the time of the event is kept here.
CREATE TABLE delivery (
    tenant_id     UUID NOT NULL,
    target_id     UUID NOT NULL,
    event_id      UUID NOT NULL,
    kind          TEXT NOT NULL,
    sequence      BIGINT NOT NULL,
    type          TEXT NOT NULL,
    state         TEXT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    devices       TEXT,
    speed         BOOLEAN NOT NULL,
    driver        BOOLEAN NOT NULL,
    url           TEXT,
    body          TEXT,
    created_at    BIGINT NOT NULL,
    due_at        BIGINT NOT NULL,
    attempts      BIGINT NOT NULL DEFAULT 0,
    tries         BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, target_id, event_id)
);
-- Work is looked for target by target: rows that wait for one that is dead are
-- stepped over as one.
CREATE INDEX delivery_due ON delivery (tenant_id, target_id, due_at, sequence) WHERE state = 'pending';
CREATE INDEX delivery_position ON delivery (tenant_id, target_id, created_at) WHERE state = 'pending' AND type = 'position.updated';

-- The log of attempts.
CREATE TABLE attempt (
    tenant_id   UUID NOT NULL,
    target_id   UUID NOT NULL,
    event_id    UUID NOT NULL,
    number      BIGINT NOT NULL,
    time        BIGINT NOT NULL,
    status      BIGINT,
    duration_ms BIGINT NOT NULL,
    error       TEXT,
    response    TEXT,
    PRIMARY KEY (tenant_id, target_id, event_id, number)
);

-- Who sends to a target: one process at a time, so that the order is kept.
CREATE TABLE delivery_target (
    tenant_id    UUID NOT NULL,
    target_id    UUID NOT NULL,
    leased_until BIGINT NOT NULL,
    leased_by    TEXT NOT NULL,
    PRIMARY KEY (tenant_id, target_id)
);
CREATE INDEX delivery_target_lease ON delivery_target (leased_by) WHERE leased_until > 0;

-- Since when no attempt has succeeded; null while the last one did.
ALTER TABLE webhook ADD COLUMN failing_since BIGINT;
ALTER TABLE milestone ADD COLUMN webhook_failing_since BIGINT;
-- Milestones that hear of their device's positions.
CREATE INDEX milestone_webhook ON milestone (tenant_id, device_id) WHERE webhook_enabled = TRUE AND status <> 'trip_ended';

-- The secret that signs what is sent to milestones' own webhooks.
CREATE TABLE webhook_secret (
    tenant_id UUID PRIMARY KEY,
    id        UUID NOT NULL,
    secrets   BYTEA NOT NULL
);
CREATE UNIQUE INDEX webhook_secret_id ON webhook_secret (id);
