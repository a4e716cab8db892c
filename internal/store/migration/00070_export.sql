-- Exports: files of records that are made in the background. leased_by is the
-- attempt that writes one until leased_until; file names the attempt whose file is
-- whole, so that what another attempt left behind is never served.
CREATE TABLE export (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    kind         TEXT NOT NULL,
    format       TEXT NOT NULL,
    filters      TEXT NOT NULL,
    state        TEXT NOT NULL,
    progress     DOUBLE PRECISION NOT NULL,
    records      BIGINT NOT NULL,
    bytes        BIGINT NOT NULL,
    error        TEXT,
    created_at   BIGINT NOT NULL,
    started_at   BIGINT,
    finished_at  BIGINT,
    expires_at   BIGINT,
    attempts     BIGINT NOT NULL DEFAULT 0,
    file         TEXT NOT NULL DEFAULT '',
    leased_by    TEXT NOT NULL DEFAULT '',
    leased_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX export_waiting ON export (created_at) WHERE state IN ('queued', 'running');
CREATE INDEX export_age ON export (expires_at) WHERE expires_at IS NOT NULL;

-- The files where several processes share a database, in pieces of one size but for
-- the last. An embedded database keeps them in the data folder.
CREATE TABLE export_chunk (
    tenant_id UUID NOT NULL,
    export_id UUID NOT NULL,
    file      TEXT NOT NULL,
    number    BIGINT NOT NULL,
    content   BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, export_id, file, number)
);
