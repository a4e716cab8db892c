-- Whether an event has announced a trip.
ALTER TABLE trip RENAME COLUMN told TO announced;
