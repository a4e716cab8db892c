-- The stands that go on now: since the last trip of each device that is not on another one.
INSERT INTO open_stand (tenant_id, device_id, id, connection_id, latitude, longitude, start_time)
SELECT t.tenant_id, t.device_id, gen_random_uuid(),
    t.connection_id, t.end_latitude, t.end_longitude, t.end_time
FROM device_latest l JOIN trip t ON t.tenant_id = l.tenant_id AND t.id = (SELECT n.id FROM trip n
    WHERE n.tenant_id = l.tenant_id AND n.device_id = l.device_id ORDER BY n.start_time DESC, n.id DESC LIMIT 1)
WHERE l.trip_due IS NULL;
