-- What SQLite has otherwise than PostgreSQL.

-- A device's positions lie together. Its id is kept in its 16 bytes, because it is in
-- every row.
CREATE TABLE position (
    device    BLOB NOT NULL,
    time      INTEGER NOT NULL,
    latitude  REAL NOT NULL,
    longitude REAL NOT NULL,
    heading   REAL,
    speed_kph REAL,
    odometer  REAL,
    ignition  BOOLEAN,
    auxiliary BOOLEAN,
    driver_id TEXT,
    suspect   TEXT,
    PRIMARY KEY (device, time)
) WITHOUT ROWID;

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  UUID NOT NULL,
    device_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
) WITHOUT ROWID;

-- The values of the series that are kept. Those of one device lie together by time.
CREATE TABLE reading (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    time      BIGINT NOT NULL,
    series    BIGINT NOT NULL,
    value     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant_id, device_id, time, series)
) WITHOUT ROWID;

-- Names and plates are looked for by their beginning.
CREATE INDEX device_search_registration ON device (tenant_id, LOWER(registration));
CREATE INDEX device_search_description ON device (tenant_id, LOWER(description));
CREATE INDEX device_search_system_device_id ON device (tenant_id, LOWER(system_device_id));
CREATE INDEX milestone_search_reference ON milestone (tenant_id, LOWER(reference)) WHERE reference IS NOT NULL;
CREATE INDEX fault_search_code ON fault (tenant_id, LOWER(code));

-- The changes of records that copies are kept of. There is one writer at a time, so the
-- numbers are in the order of the commits.
INSERT INTO change_clock (one, number, epoch) VALUES (1, 0, LOWER(HEX(RANDOMBLOB(8))));

CREATE TRIGGER connection_added AFTER INSERT ON connection BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE connection SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER connection_changed AFTER UPDATE ON connection WHEN
    OLD.integration_name IS NOT NEW.integration_name OR OLD.business_name IS NOT NEW.business_name OR OLD.abn IS NOT NEW.abn OR
    OLD.email IS NOT NEW.email OR OLD.active IS NOT NEW.active OR OLD.collection_start_time IS NOT NEW.collection_start_time OR
    OLD.collection_end_time IS NOT NEW.collection_end_time OR OLD.configuration IS NOT NEW.configuration OR OLD.state IS NOT NEW.state
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE connection SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER connection_deleted AFTER DELETE ON connection BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'connection', number, OLD.id, OLD.id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER device_added AFTER INSERT ON device BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE device SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER device_changed AFTER UPDATE ON device WHEN
    OLD.connection_id IS NOT NEW.connection_id OR OLD.system_device_id IS NOT NEW.system_device_id OR
    OLD.description IS NOT NEW.description OR OLD.registration IS NOT NEW.registration OR OLD.make IS NOT NEW.make OR
    OLD.model IS NOT NEW.model OR OLD.year IS NOT NEW.year OR OLD.active IS NOT NEW.active OR OLD.tags IS NOT NEW.tags
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE device SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER device_deleted AFTER DELETE ON device BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'device', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER trip_added AFTER INSERT ON trip BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE trip SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER trip_changed AFTER UPDATE ON trip WHEN
    OLD.device_id IS NOT NEW.device_id OR OLD.system_trip_id IS NOT NEW.system_trip_id OR OLD.start_latitude IS NOT NEW.start_latitude OR
    OLD.start_longitude IS NOT NEW.start_longitude OR OLD.end_latitude IS NOT NEW.end_latitude OR
    OLD.end_longitude IS NOT NEW.end_longitude OR OLD.start_time IS NOT NEW.start_time OR OLD.end_time IS NOT NEW.end_time OR
    OLD.distance_metres IS NOT NEW.distance_metres OR OLD.duration_seconds IS NOT NEW.duration_seconds OR
    OLD.driving_seconds IS NOT NEW.driving_seconds OR OLD.idling_seconds IS NOT NEW.idling_seconds OR
    OLD.auxiliary_seconds IS NOT NEW.auxiliary_seconds OR OLD.is_valid IS NOT NEW.is_valid OR
    OLD.validation_comments IS NOT NEW.validation_comments OR OLD.driver_id IS NOT NEW.driver_id
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE trip SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER trip_deleted AFTER DELETE ON trip BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'trip', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER stop_added AFTER INSERT ON stop BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE stop SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER stop_changed AFTER UPDATE ON stop WHEN
    OLD.latitude IS NOT NEW.latitude OR OLD.longitude IS NOT NEW.longitude OR OLD.start_time IS NOT NEW.start_time OR
    OLD.end_time IS NOT NEW.end_time OR OLD.engine_on_seconds IS NOT NEW.engine_on_seconds OR
    OLD.auxiliary_seconds IS NOT NEW.auxiliary_seconds OR
    OLD.unseen_until IS NOT NEW.unseen_until OR OLD.unseen_metres IS NOT NEW.unseen_metres OR OLD.unseen_by IS NOT NEW.unseen_by
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE stop SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER stop_deleted AFTER DELETE ON stop BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'stop', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER open_stop_added AFTER INSERT ON open_stop BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE open_stop SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER open_stop_changed AFTER UPDATE ON open_stop WHEN
    OLD.id IS NOT NEW.id OR OLD.latitude IS NOT NEW.latitude OR OLD.longitude IS NOT NEW.longitude OR
    OLD.start_time IS NOT NEW.start_time OR OLD.end_time IS NOT NEW.end_time
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE open_stop SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER open_stop_deleted AFTER DELETE ON open_stop BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'stop', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;
CREATE TRIGGER open_stop_replaced AFTER UPDATE ON open_stop WHEN OLD.id IS NOT NEW.id BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'stop', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER milestone_added AFTER INSERT ON milestone BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE milestone SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER milestone_changed AFTER UPDATE ON milestone WHEN
    OLD.device_id IS NOT NEW.device_id OR OLD.start_latitude IS NOT NEW.start_latitude OR
    OLD.start_longitude IS NOT NEW.start_longitude OR OLD.end_latitude IS NOT NEW.end_latitude OR
    OLD.end_longitude IS NOT NEW.end_longitude OR OLD.radius_metres IS NOT NEW.radius_metres OR OLD.start_time IS NOT NEW.start_time OR
    OLD.end_time IS NOT NEW.end_time OR OLD.updated_at IS NOT NEW.updated_at OR OLD.status IS NOT NEW.status OR
    OLD.webhook_url IS NOT NEW.webhook_url OR OLD.webhook_enabled IS NOT NEW.webhook_enabled OR
    OLD.webhook_error_count IS NOT NEW.webhook_error_count OR OLD.last_webhook_error IS NOT NEW.last_webhook_error OR
    OLD.last_webhook_error_at IS NOT NEW.last_webhook_error_at OR
    OLD.reference IS NOT NEW.reference OR OLD.metadata IS NOT NEW.metadata
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE milestone SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER milestone_deleted AFTER DELETE ON milestone BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'milestone', number, OLD.id, COALESCE(OLD.connection_id, OLD.id), CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER fault_added AFTER INSERT ON fault BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE fault SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER fault_changed AFTER UPDATE ON fault WHEN
    OLD.protocol IS NOT NEW.protocol OR OLD.code IS NOT NEW.code OR OLD.spn IS NOT NEW.spn OR OLD.fmi IS NOT NEW.fmi OR
    OLD.source_address IS NOT NEW.source_address OR OLD.description IS NOT NEW.description OR OLD.severity IS NOT NEW.severity OR
    OLD.lamps IS NOT NEW.lamps OR OLD.status IS NOT NEW.status OR OLD.first_seen_at IS NOT NEW.first_seen_at OR
    OLD.last_seen_at IS NOT NEW.last_seen_at OR OLD.closed_at IS NOT NEW.closed_at OR OLD.closed_by IS NOT NEW.closed_by OR
    OLD.occurrences IS NOT NEW.occurrences
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE fault SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER fault_deleted AFTER DELETE ON fault BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'fault', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER driver_added AFTER INSERT ON driver BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE driver SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER driver_changed AFTER UPDATE ON driver WHEN
    OLD.connection_id IS NOT NEW.connection_id OR OLD.system_driver_id IS NOT NEW.system_driver_id OR OLD.name IS NOT NEW.name OR
    OLD.first_name IS NOT NEW.first_name OR OLD.last_name IS NOT NEW.last_name OR OLD.employee_number IS NOT NEW.employee_number OR
    OLD.email IS NOT NEW.email OR OLD.phone IS NOT NEW.phone OR OLD.licence_number IS NOT NEW.licence_number OR
    OLD.licence_region IS NOT NEW.licence_region OR OLD.keys IS NOT NEW.keys OR OLD.active IS NOT NEW.active OR
    OLD.tags IS NOT NEW.tags
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE driver SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER driver_deleted AFTER DELETE ON driver BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'driver', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

CREATE TRIGGER safety_event_added AFTER INSERT ON safety_event BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE safety_event SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER safety_event_changed AFTER UPDATE ON safety_event WHEN
    OLD.type IS NOT NEW.type OR OLD.native_type IS NOT NEW.native_type OR OLD.driver_id IS NOT NEW.driver_id OR
    OLD.start_time IS NOT NEW.start_time OR OLD.end_time IS NOT NEW.end_time OR OLD.latitude IS NOT NEW.latitude OR
    OLD.longitude IS NOT NEW.longitude OR OLD.heading IS NOT NEW.heading OR OLD.speed_kph IS NOT NEW.speed_kph OR
    OLD.max_speed_kph IS NOT NEW.max_speed_kph OR OLD.speed_limit_kph IS NOT NEW.speed_limit_kph OR
    OLD.acceleration_g IS NOT NEW.acceleration_g OR OLD.lateral_g IS NOT NEW.lateral_g OR OLD.severity IS NOT NEW.severity OR
    OLD.status IS NOT NEW.status OR OLD.method IS NOT NEW.method OR OLD.media_available IS NOT NEW.media_available
BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE safety_event SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER safety_event_deleted AFTER DELETE ON safety_event BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'safety_event', number, OLD.id, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER) FROM change_clock;
END;

-- Each position brings some of these: the statement that changes them changes their number. An
-- index of numbers alone is half as much work as one that begins with the tenant, and those of
-- other tenants in between are few in one file.
CREATE INDEX reading_series_change ON reading_series (change);
CREATE TRIGGER reading_series_added AFTER INSERT ON reading_series BEGIN
    UPDATE change_clock SET number = number + 1;
    UPDATE reading_series SET change = (SELECT number FROM change_clock) WHERE rowid = NEW.rowid;
END;
CREATE TRIGGER reading_series_deleted AFTER DELETE ON reading_series BEGIN
    UPDATE change_clock SET number = number + 1;
    INSERT OR IGNORE INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, 'reading', number, value, OLD.connection_id, CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER)
    FROM change_clock, json_each(OLD.ids);
END;
