-- Who drove, where that is known: as the vendor says of the trip, or as most of its
-- positions do. The list by driver is in the order of the other lists of trips.
ALTER TABLE trip ADD COLUMN driver_id TEXT;
CREATE INDEX trip_driver_time ON trip (tenant_id, driver_id, start_time, id) WHERE driver_id IS NOT NULL;
