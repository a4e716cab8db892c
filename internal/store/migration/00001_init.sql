-- Times are milliseconds since 1970. JSON is text. Every key starts with the
-- tenant, whose rows lie together.

CREATE TABLE tenant (
    id           UUID PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    suspended    BOOLEAN NOT NULL DEFAULT FALSE,
    created_at   BIGINT NOT NULL
);

CREATE TABLE account_user (
    tenant_id     UUID NOT NULL REFERENCES tenant (id),
    id            UUID NOT NULL,
    username      TEXT NOT NULL,
    email         TEXT NOT NULL,
    login_name    TEXT NOT NULL UNIQUE,
    login_email   TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL,
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX account_user_id ON account_user (id);

CREATE TABLE session (
    tenant_id  UUID NOT NULL,
    id         UUID NOT NULL,
    user_id    UUID NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX session_by_user ON session (tenant_id, user_id);
CREATE INDEX session_expiry ON session (expires_at);

-- Keys that sign tokens, and data keys that seal credentials. Both are sealed
-- with the operator's master key.
CREATE TABLE signing_key (
    id         TEXT PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    active     BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE data_key (
    id         TEXT PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    active     BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

-- One row: the version of everything that processes keep in memory about keys,
-- users and sessions. Whoever changes those adds one; the others look every second.
CREATE TABLE auth_version (
    one     BIGINT PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO auth_version (one, version) VALUES (1, 1);

CREATE TABLE connection (
    tenant_id             UUID NOT NULL REFERENCES tenant (id),
    id                    UUID NOT NULL,
    integration_name      TEXT NOT NULL,
    business_name         TEXT NOT NULL,
    abn                   TEXT,
    email                 TEXT,
    active                BOOLEAN NOT NULL,
    collection_start_time BIGINT NOT NULL,
    collection_end_time   BIGINT,
    configuration         TEXT NOT NULL,
    credentials           BYTEA NOT NULL,
    state                 TEXT NOT NULL,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX connection_id ON connection (id);

CREATE TABLE connection_share (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    shared_with   UUID NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, shared_with)
);
CREATE INDEX connection_share_with ON connection_share (shared_with);

CREATE TABLE tag (
    tenant_id UUID NOT NULL,
    id        UUID NOT NULL,
    name      TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE connection_tag (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    tag_id        UUID NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, tag_id)
);

CREATE TABLE device (
    tenant_id        UUID NOT NULL,
    id               UUID NOT NULL,
    connection_id    UUID NOT NULL,
    system_device_id TEXT NOT NULL,
    description      TEXT,
    registration     TEXT,
    make             TEXT,
    model            TEXT,
    year             BIGINT,
    active           BOOLEAN NOT NULL,
    tags             TEXT NOT NULL,
    edited           TEXT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, connection_id, system_device_id)
);
CREATE UNIQUE INDEX device_id ON device (id);

-- What is known of a device's newest position, so that it is one read away.
CREATE TABLE device_latest (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    position_time BIGINT NOT NULL,
    position      TEXT NOT NULL,
    PRIMARY KEY (tenant_id, device_id)
);
CREATE INDEX device_latest_time ON device_latest (tenant_id, position_time);

CREATE TABLE trip (
    tenant_id           UUID NOT NULL,
    id                  UUID NOT NULL,
    connection_id       UUID NOT NULL,
    device_id           UUID NOT NULL,
    system_trip_id      TEXT NOT NULL,
    start_latitude      DOUBLE PRECISION,
    start_longitude     DOUBLE PRECISION,
    end_latitude        DOUBLE PRECISION,
    end_longitude       DOUBLE PRECISION,
    start_time          BIGINT NOT NULL,
    end_time            BIGINT NOT NULL,
    distance_metres     DOUBLE PRECISION,
    duration_seconds    DOUBLE PRECISION NOT NULL,
    driving_seconds     DOUBLE PRECISION,
    idling_seconds      DOUBLE PRECISION,
    auxiliary_seconds   DOUBLE PRECISION,
    is_valid            BOOLEAN NOT NULL,
    validation_comments TEXT,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, device_id, system_trip_id)
);
CREATE UNIQUE INDEX trip_id ON trip (id);
CREATE INDEX trip_end ON trip (tenant_id, end_time);
CREATE INDEX trip_device_time ON trip (tenant_id, device_id, start_time);

CREATE TABLE milestone (
    tenant_id             UUID NOT NULL,
    id                    UUID NOT NULL,
    device_tenant_id      UUID NOT NULL,
    device_id             UUID NOT NULL,
    start_latitude        DOUBLE PRECISION NOT NULL,
    start_longitude       DOUBLE PRECISION NOT NULL,
    end_latitude          DOUBLE PRECISION NOT NULL,
    end_longitude         DOUBLE PRECISION NOT NULL,
    start_time            BIGINT NOT NULL,
    end_time              BIGINT,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    status                TEXT NOT NULL,
    state                 TEXT NOT NULL,
    webhook_url           TEXT,
    webhook_enabled       BOOLEAN NOT NULL,
    webhook_error_count   BIGINT NOT NULL DEFAULT 0,
    last_webhook_error    TEXT,
    last_webhook_error_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX milestone_id ON milestone (id);
CREATE INDEX milestone_device ON milestone (device_tenant_id, device_id, status);
CREATE INDEX milestone_status ON milestone (tenant_id, status);

CREATE TABLE webhook (
    tenant_id     UUID NOT NULL,
    id            UUID NOT NULL,
    url           TEXT NOT NULL,
    enabled       BOOLEAN NOT NULL,
    error_count   BIGINT NOT NULL DEFAULT 0,
    last_error    TEXT,
    last_error_at BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    filters       TEXT NOT NULL,
    options       TEXT NOT NULL,
    secrets       BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX webhook_id ON webhook (id);

-- The change feed. The sequence row is locked by whoever appends, so that
-- events become visible in the order of their numbers.
CREATE TABLE event_sequence (
    tenant_id UUID PRIMARY KEY,
    last      BIGINT NOT NULL
);

CREATE TABLE event (
    tenant_id     UUID NOT NULL,
    sequence      BIGINT NOT NULL,
    id            UUID NOT NULL,
    type          TEXT NOT NULL,
    time          BIGINT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    milestone_id  UUID,
    data          TEXT NOT NULL,
    PRIMARY KEY (tenant_id, sequence)
);

-- Roll-ups: what the summaries read. Distances are millimetres and times
-- milliseconds, because sums of integers do not depend on their order.
CREATE TABLE trip_day (
    tenant_id     UUID NOT NULL,
    day           BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    trips         BIGINT NOT NULL,
    valid_trips   BIGINT NOT NULL,
    distance_mm   BIGINT NOT NULL,
    driving_ms    BIGINT NOT NULL,
    idling_ms     BIGINT NOT NULL,
    auxiliary_ms  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, connection_id)
);

CREATE TABLE trip_total (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    trips         BIGINT NOT NULL,
    valid_trips   BIGINT NOT NULL,
    distance_mm   BIGINT NOT NULL,
    driving_ms    BIGINT NOT NULL,
    idling_ms     BIGINT NOT NULL,
    auxiliary_ms  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id)
);

CREATE TABLE event_day (
    tenant_id UUID NOT NULL,
    day       BIGINT NOT NULL,
    type      TEXT NOT NULL,
    events    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, type)
);

-- Answers of POST requests that carried an Idempotency-Key, sealed, because an
-- answer may hold a secret that is shown once.
CREATE TABLE idempotency (
    tenant_id  UUID NOT NULL,
    id         UUID NOT NULL,
    user_id    UUID NOT NULL,
    key        TEXT NOT NULL,
    request    TEXT NOT NULL,
    answer     BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, key)
);
CREATE INDEX idempotency_id ON idempotency (id);
CREATE INDEX idempotency_age ON idempotency (created_at);
