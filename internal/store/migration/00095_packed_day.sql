-- When the packed positions of a tenant's day last changed: what is made of a day, such
-- as a file, is made again where it is older.
CREATE TABLE packed_day (
    tenant_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day)
);
INSERT INTO packed_day (tenant_id, day, changed_at)
    SELECT DISTINCT tenant_id, first - first % 86400000, CAST(0 AS BIGINT) FROM position_block;
