-- For suspect positions, whose times may be rubbish, of weeks that have no
-- partition. The check refuses any other that misses its partition, which tells
-- the store to make it.
CREATE TABLE position_default PARTITION OF position (
    CONSTRAINT position_default_suspect CHECK (suspect IS NOT NULL)
) DEFAULT;
