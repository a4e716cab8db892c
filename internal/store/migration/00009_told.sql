-- Whether an event has told of a trip. Of those that are there it is not known, so
-- their changes are told.
ALTER TABLE trip ADD COLUMN told BOOLEAN NOT NULL DEFAULT TRUE;
