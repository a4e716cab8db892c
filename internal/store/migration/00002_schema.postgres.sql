-- What PostgreSQL has otherwise than SQLite.

-- Partitioned by time: retention drops partitions. The store makes a partition when the
-- first position of its week arrives.
CREATE TABLE position (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    time      BIGINT NOT NULL,
    latitude  DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL,
    heading   DOUBLE PRECISION,
    speed_kph DOUBLE PRECISION,
    odometer  DOUBLE PRECISION,
    ignition  BOOLEAN,
    auxiliary BOOLEAN,
    driver_id TEXT,
    suspect   TEXT,
    PRIMARY KEY (tenant_id, device_id, time)
) PARTITION BY RANGE (time);

-- For suspect positions, whose times may be rubbish, of weeks that have no partition. The
-- check refuses any other that misses its partition, by which the store knows to make it.
CREATE TABLE position_default PARTITION OF position (
    CONSTRAINT position_default_suspect CHECK (suspect IS NOT NULL)
) DEFAULT;

-- Days to which something came, or was changed in, after they could have been packed.
CREATE TABLE position_change (
    tenant_id  UUID NOT NULL,
    device_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- The values of the series that are kept. Those of one device lie together by time.
CREATE TABLE reading (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    time      BIGINT NOT NULL,
    series    BIGINT NOT NULL,
    value     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant_id, device_id, time, series)
);

-- These are compressed already.
ALTER TABLE event ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE event_block ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE position_block ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE reading_block ALTER COLUMN data SET STORAGE EXTERNAL;

-- Names and plates are looked for by their beginning.
CREATE INDEX device_search_registration ON device (tenant_id, (LOWER(registration) COLLATE "C"));
CREATE INDEX device_search_description ON device (tenant_id, (LOWER(description) COLLATE "C"));
CREATE INDEX device_search_system_device_id ON device (tenant_id, (LOWER(system_device_id) COLLATE "C"));
CREATE INDEX milestone_search_reference ON milestone (tenant_id, (LOWER(reference) COLLATE "C")) WHERE reference IS NOT NULL;
CREATE INDEX fault_search_code ON fault (tenant_id, (LOWER(code) COLLATE "C"));

-- The milestones of one device in the order of the list: those of all tenants were read
-- for them. SQLite, which plans by the text, would take it for an index of open ones.
CREATE INDEX milestone_of_device ON milestone (tenant_id, device_id, id);

-- The changes of records that copies are kept of. Several transactions write at once and
-- commit in any order: the number is that of the transaction, and readers stop before the
-- oldest one that is still under way. Nothing has to wait for a number.
INSERT INTO change_clock (one, number, epoch) VALUES (1, 0, gen_random_uuid()::text);

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.change := pg_current_xact_id()::text::bigint;
    RETURN NEW;
END $$;

CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ids UUID[];
BEGIN
    IF TG_TABLE_NAME LIKE 'reading_series%' THEN -- those of a device
        ids := ARRAY(SELECT jsonb_array_elements_text(OLD.ids::jsonb)::uuid);
    ELSE
        ids := ARRAY[OLD.id];
    END IF;
    INSERT INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at)
    SELECT OLD.tenant_id, TG_ARGV[0], pg_current_xact_id()::text::bigint, o.id,
        COALESCE((to_jsonb(OLD) ->> 'connection_id')::uuid, o.id), (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint
    FROM unnest(ids) AS o(id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER connection_added BEFORE INSERT ON connection FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER connection_changed BEFORE UPDATE ON connection FOR EACH ROW WHEN (
    OLD.integration_name IS DISTINCT FROM NEW.integration_name OR OLD.business_name IS DISTINCT FROM NEW.business_name OR
    OLD.abn IS DISTINCT FROM NEW.abn OR OLD.email IS DISTINCT FROM NEW.email OR OLD.active IS DISTINCT FROM NEW.active OR
    OLD.collection_start_time IS DISTINCT FROM NEW.collection_start_time OR
    OLD.collection_end_time IS DISTINCT FROM NEW.collection_end_time OR OLD.configuration IS DISTINCT FROM NEW.configuration OR
    OLD.state IS DISTINCT FROM NEW.state
) EXECUTE FUNCTION note_change();
CREATE TRIGGER connection_deleted AFTER DELETE ON connection FOR EACH ROW EXECUTE FUNCTION note_deletion('connection');

CREATE TRIGGER device_added BEFORE INSERT ON device FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER device_changed BEFORE UPDATE ON device FOR EACH ROW WHEN (
    OLD.connection_id IS DISTINCT FROM NEW.connection_id OR OLD.system_device_id IS DISTINCT FROM NEW.system_device_id OR
    OLD.description IS DISTINCT FROM NEW.description OR OLD.registration IS DISTINCT FROM NEW.registration OR
    OLD.make IS DISTINCT FROM NEW.make OR OLD.model IS DISTINCT FROM NEW.model OR OLD.year IS DISTINCT FROM NEW.year OR
    OLD.active IS DISTINCT FROM NEW.active OR OLD.tags IS DISTINCT FROM NEW.tags
) EXECUTE FUNCTION note_change();
CREATE TRIGGER device_deleted AFTER DELETE ON device FOR EACH ROW EXECUTE FUNCTION note_deletion('device');

CREATE TRIGGER trip_added BEFORE INSERT ON trip FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER trip_changed BEFORE UPDATE ON trip FOR EACH ROW WHEN (
    OLD.device_id IS DISTINCT FROM NEW.device_id OR OLD.system_trip_id IS DISTINCT FROM NEW.system_trip_id OR
    OLD.start_latitude IS DISTINCT FROM NEW.start_latitude OR OLD.start_longitude IS DISTINCT FROM NEW.start_longitude OR
    OLD.end_latitude IS DISTINCT FROM NEW.end_latitude OR OLD.end_longitude IS DISTINCT FROM NEW.end_longitude OR
    OLD.start_time IS DISTINCT FROM NEW.start_time OR OLD.end_time IS DISTINCT FROM NEW.end_time OR
    OLD.distance_metres IS DISTINCT FROM NEW.distance_metres OR OLD.duration_seconds IS DISTINCT FROM NEW.duration_seconds OR
    OLD.driving_seconds IS DISTINCT FROM NEW.driving_seconds OR OLD.idling_seconds IS DISTINCT FROM NEW.idling_seconds OR
    OLD.auxiliary_seconds IS DISTINCT FROM NEW.auxiliary_seconds OR OLD.is_valid IS DISTINCT FROM NEW.is_valid OR
    OLD.validation_comments IS DISTINCT FROM NEW.validation_comments OR OLD.driver_id IS DISTINCT FROM NEW.driver_id
) EXECUTE FUNCTION note_change();
CREATE TRIGGER trip_deleted AFTER DELETE ON trip FOR EACH ROW EXECUTE FUNCTION note_deletion('trip');

CREATE TRIGGER stop_added BEFORE INSERT ON stop FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER stop_changed BEFORE UPDATE ON stop FOR EACH ROW WHEN (
    OLD.latitude IS DISTINCT FROM NEW.latitude OR OLD.longitude IS DISTINCT FROM NEW.longitude OR
    OLD.start_time IS DISTINCT FROM NEW.start_time OR OLD.end_time IS DISTINCT FROM NEW.end_time OR
    OLD.engine_on_seconds IS DISTINCT FROM NEW.engine_on_seconds OR OLD.auxiliary_seconds IS DISTINCT FROM NEW.auxiliary_seconds OR
    OLD.unseen_until IS DISTINCT FROM NEW.unseen_until OR OLD.unseen_metres IS DISTINCT FROM NEW.unseen_metres OR OLD.unseen_by IS DISTINCT FROM NEW.unseen_by
) EXECUTE FUNCTION note_change();
CREATE TRIGGER stop_deleted AFTER DELETE ON stop FOR EACH ROW EXECUTE FUNCTION note_deletion('stop');

CREATE TRIGGER open_stop_added BEFORE INSERT ON open_stop FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER open_stop_changed BEFORE UPDATE ON open_stop FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.latitude IS DISTINCT FROM NEW.latitude OR OLD.longitude IS DISTINCT FROM NEW.longitude OR
    OLD.start_time IS DISTINCT FROM NEW.start_time OR OLD.end_time IS DISTINCT FROM NEW.end_time
) EXECUTE FUNCTION note_change();
CREATE TRIGGER open_stop_deleted AFTER DELETE ON open_stop FOR EACH ROW EXECUTE FUNCTION note_deletion('stop');
CREATE TRIGGER open_stop_replaced AFTER UPDATE ON open_stop FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION note_deletion('stop');

CREATE TRIGGER milestone_added BEFORE INSERT ON milestone FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER milestone_changed BEFORE UPDATE ON milestone FOR EACH ROW WHEN (
    OLD.device_id IS DISTINCT FROM NEW.device_id OR OLD.start_latitude IS DISTINCT FROM NEW.start_latitude OR
    OLD.start_longitude IS DISTINCT FROM NEW.start_longitude OR OLD.end_latitude IS DISTINCT FROM NEW.end_latitude OR
    OLD.end_longitude IS DISTINCT FROM NEW.end_longitude OR OLD.radius_metres IS DISTINCT FROM NEW.radius_metres OR
    OLD.start_time IS DISTINCT FROM NEW.start_time OR OLD.end_time IS DISTINCT FROM NEW.end_time OR
    OLD.updated_at IS DISTINCT FROM NEW.updated_at OR OLD.status IS DISTINCT FROM NEW.status OR
    OLD.webhook_url IS DISTINCT FROM NEW.webhook_url OR OLD.webhook_enabled IS DISTINCT FROM NEW.webhook_enabled OR
    OLD.webhook_error_count IS DISTINCT FROM NEW.webhook_error_count OR OLD.last_webhook_error IS DISTINCT FROM NEW.last_webhook_error OR
    OLD.last_webhook_error_at IS DISTINCT FROM NEW.last_webhook_error_at OR
    OLD.reference IS DISTINCT FROM NEW.reference OR OLD.metadata IS DISTINCT FROM NEW.metadata
) EXECUTE FUNCTION note_change();
CREATE TRIGGER milestone_deleted AFTER DELETE ON milestone FOR EACH ROW EXECUTE FUNCTION note_deletion('milestone');

CREATE TRIGGER fault_added BEFORE INSERT ON fault FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER fault_changed BEFORE UPDATE ON fault FOR EACH ROW WHEN (
    OLD.protocol IS DISTINCT FROM NEW.protocol OR OLD.code IS DISTINCT FROM NEW.code OR OLD.spn IS DISTINCT FROM NEW.spn OR
    OLD.fmi IS DISTINCT FROM NEW.fmi OR OLD.source_address IS DISTINCT FROM NEW.source_address OR
    OLD.description IS DISTINCT FROM NEW.description OR OLD.severity IS DISTINCT FROM NEW.severity OR
    OLD.lamps IS DISTINCT FROM NEW.lamps OR OLD.status IS DISTINCT FROM NEW.status OR
    OLD.first_seen_at IS DISTINCT FROM NEW.first_seen_at OR OLD.last_seen_at IS DISTINCT FROM NEW.last_seen_at OR
    OLD.closed_at IS DISTINCT FROM NEW.closed_at OR OLD.closed_by IS DISTINCT FROM NEW.closed_by OR
    OLD.occurrences IS DISTINCT FROM NEW.occurrences
) EXECUTE FUNCTION note_change();
CREATE TRIGGER fault_deleted AFTER DELETE ON fault FOR EACH ROW EXECUTE FUNCTION note_deletion('fault');

CREATE TRIGGER driver_added BEFORE INSERT ON driver FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER driver_changed BEFORE UPDATE ON driver FOR EACH ROW WHEN (
    OLD.connection_id IS DISTINCT FROM NEW.connection_id OR OLD.system_driver_id IS DISTINCT FROM NEW.system_driver_id OR
    OLD.name IS DISTINCT FROM NEW.name OR OLD.first_name IS DISTINCT FROM NEW.first_name OR
    OLD.last_name IS DISTINCT FROM NEW.last_name OR OLD.employee_number IS DISTINCT FROM NEW.employee_number OR
    OLD.email IS DISTINCT FROM NEW.email OR OLD.phone IS DISTINCT FROM NEW.phone OR
    OLD.licence_number IS DISTINCT FROM NEW.licence_number OR OLD.licence_region IS DISTINCT FROM NEW.licence_region OR
    OLD.keys IS DISTINCT FROM NEW.keys OR OLD.active IS DISTINCT FROM NEW.active OR OLD.tags IS DISTINCT FROM NEW.tags
) EXECUTE FUNCTION note_change();
CREATE TRIGGER driver_deleted AFTER DELETE ON driver FOR EACH ROW EXECUTE FUNCTION note_deletion('driver');

CREATE TRIGGER safety_event_added BEFORE INSERT ON safety_event FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER safety_event_changed BEFORE UPDATE ON safety_event FOR EACH ROW WHEN (
    OLD.type IS DISTINCT FROM NEW.type OR OLD.native_type IS DISTINCT FROM NEW.native_type OR
    OLD.driver_id IS DISTINCT FROM NEW.driver_id OR OLD.start_time IS DISTINCT FROM NEW.start_time OR
    OLD.end_time IS DISTINCT FROM NEW.end_time OR OLD.latitude IS DISTINCT FROM NEW.latitude OR
    OLD.longitude IS DISTINCT FROM NEW.longitude OR OLD.heading IS DISTINCT FROM NEW.heading OR
    OLD.speed_kph IS DISTINCT FROM NEW.speed_kph OR OLD.max_speed_kph IS DISTINCT FROM NEW.max_speed_kph OR
    OLD.speed_limit_kph IS DISTINCT FROM NEW.speed_limit_kph OR OLD.acceleration_g IS DISTINCT FROM NEW.acceleration_g OR
    OLD.lateral_g IS DISTINCT FROM NEW.lateral_g OR OLD.severity IS DISTINCT FROM NEW.severity OR
    OLD.status IS DISTINCT FROM NEW.status OR OLD.method IS DISTINCT FROM NEW.method OR
    OLD.media_available IS DISTINCT FROM NEW.media_available
) EXECUTE FUNCTION note_change();
CREATE TRIGGER safety_event_deleted AFTER DELETE ON safety_event FOR EACH ROW EXECUTE FUNCTION note_deletion('safety_event');

-- Each position brings some of these: the statement that sets them sets their change.
CREATE INDEX reading_series_change ON reading_series (tenant_id, change, device_id);
ALTER TABLE reading_series ALTER COLUMN change SET DEFAULT pg_current_xact_id()::text::bigint;
CREATE TRIGGER reading_series_deleted AFTER DELETE ON reading_series FOR EACH ROW EXECUTE FUNCTION note_deletion('reading');
