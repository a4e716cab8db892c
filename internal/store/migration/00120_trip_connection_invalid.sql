-- The same of one connection, which may have few invalid trips among millions.
CREATE INDEX trip_connection_invalid_time ON trip (tenant_id, connection_id, (0 + start_time), id) WHERE is_valid = FALSE;
