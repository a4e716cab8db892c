-- A key is known by the hash of its secret. Scopes and networks are JSON.
CREATE TABLE api_key (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    role         TEXT,
    scopes       TEXT NOT NULL,
    networks     TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    last_used_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX api_key_hash ON api_key (hash);

-- Who did what. Names are copied: the record outlives the user and the key.
CREATE TABLE audit (
    tenant_id   UUID NOT NULL,
    id          UUID NOT NULL,
    time        BIGINT NOT NULL,
    actor_type  TEXT NOT NULL,
    actor_id    UUID,
    actor_name  TEXT NOT NULL,
    action      TEXT NOT NULL,
    record_type TEXT,
    record_id   TEXT,
    address     TEXT,
    request_id  TEXT,
    outcome     TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_time ON audit (time);
CREATE INDEX audit_record ON audit (tenant_id, record_id);
