-- The invalid trips in the order of the list: they may be few among many. The expression
-- is another one than that of trip_time, because SQLite chooses between the two by the text.
CREATE INDEX trip_invalid_time ON trip (tenant_id, (0 + start_time), id) WHERE is_valid = FALSE;
