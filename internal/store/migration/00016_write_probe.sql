-- What the check of readiness writes to.
CREATE TABLE write_probe (
    one SMALLINT PRIMARY KEY,
    at  BIGINT NOT NULL
);
INSERT INTO write_probe (one, at) VALUES (1, 0);
