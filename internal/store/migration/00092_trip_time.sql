-- The order of the list of trips: of all, of one connection, and of one device, whose
-- index had no id. That of all is of an expression, which the list alone asks for:
-- SQLite, which plans by the text, would otherwise read the trips of all devices for
-- those of one.
CREATE INDEX trip_time ON trip (tenant_id, (start_time + 0), id);
CREATE INDEX trip_connection_time ON trip (tenant_id, connection_id, start_time, id);
DROP INDEX trip_device_time;
CREATE INDEX trip_device_time ON trip (tenant_id, device_id, start_time, id);
