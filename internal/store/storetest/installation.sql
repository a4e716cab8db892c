-- Rows of an installation with many tenants on PostgreSQL, which the test of plans makes.
-- The table shape says how many; ids are hashes, so that those of all tenants are mixed.
CREATE FUNCTION made(text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT md5($1)::uuid $$;

INSERT INTO tenant (id, name, created_at)
    SELECT made('tenant ' || t), 'tenant ' || t, 0 FROM shape, generate_series(1, tenants) t;
CREATE TEMP TABLE owner AS SELECT t AS n, made('tenant ' || t) AS id FROM shape, generate_series(1, tenants) t;
CREATE TEMP TABLE fleet AS SELECT o.n AS owner, o.id AS tenant_id, c AS n, made('connection ' || o.n || ' ' || c) AS id FROM shape, owner o, generate_series(1, connections) c;
CREATE TEMP TABLE vehicle AS SELECT f.tenant_id, f.id AS connection_id, f.owner, d AS n, (f.n - 1) * devices + d AS number, made('device ' || f.id || ' ' || d) AS id FROM shape, fleet f, generate_series(1, devices) d;
CREATE TEMP TABLE errand AS SELECT v.*, m, made('milestone ' || v.id || ' ' || m) AS milestone_id FROM vehicle v, generate_series(1, 4) m WHERE v.number % 2 = 0;
CREATE TEMP TABLE target AS SELECT o.id AS tenant_id, o.n AS owner, w, made('webhook ' || o.n || ' ' || w) AS id FROM owner o, generate_series(1, 3) w;

INSERT INTO account_user (tenant_id, id, username, email, login_name, login_email, password_hash, role, created_at)
    SELECT id, made('user ' || n || u), 'u' || n || '-' || u, 'e' || n || '-' || u, 'u' || n || '-' || u, 'e' || n || '-' || u, 'hash', 'admin', 0 FROM owner, generate_series(1, 5) u;
INSERT INTO session (tenant_id, id, user_id, created_at, expires_at, cookie_hash)
    SELECT id, made('session ' || n || s), made('user ' || n || 1 + s % 5), 0, s * 1000, md5(n || ' ' || s) FROM owner, generate_series(1, 30) s;
INSERT INTO api_key (tenant_id, id, name, hash, scopes, networks, created_at)
    SELECT id, made('key ' || n || k), 'key ' || k, md5(n || ' ' || k), '[]', '[]', 0 FROM owner, generate_series(1, 10) k;
INSERT INTO audit (tenant_id, id, time, actor_type, actor_id, actor_name, action, record_type, record_id, outcome)
    SELECT id, made('audit ' || n || a), a * 1000, 'user', made('user ' || n || 1 + a % 5), 'name', 'device.update', 'device', made('record ' || n || a % 50)::text, 'ok' FROM owner, generate_series(1, 50) a;
INSERT INTO tenant_limit (tenant_id, quota, most) SELECT id, q, 10 FROM owner, unnest('{devices,webhooks,connections}'::text[]) q;
INSERT INTO idempotency (tenant_id, id, user_id, key, request, answer, created_at)
    SELECT id, made('answer ' || n || i), made('user ' || n || 1 + i % 5), 'key ' || i, 'request', '\x00', i FROM owner, generate_series(1, 30) i;
INSERT INTO share_code (tenant_id, hash, expires_at) SELECT id, md5(n || ' ' || c), c FROM owner, generate_series(1, 3) c;
INSERT INTO webhook_secret (tenant_id, id, secrets) SELECT id, made('secret ' || n), '\x00' FROM owner;

INSERT INTO connection (tenant_id, id, integration_name, business_name, active, collection_start_time, configuration, credentials, state, created_at, updated_at)
    SELECT tenant_id, id, 'traccar', 'Haulage ' || owner || ' ' || n, n % 10 <> 0, 0, '{}', '\x00', '{}', 0, 0 FROM fleet;
INSERT INTO collection (tenant_id, connection_id, due_at) SELECT tenant_id, id, owner * 1000 + n FROM fleet;
INSERT INTO job (tenant_id, connection_id, id, kind, backfill, state, cursor, window_from, due_at, created_at)
    SELECT tenant_id, id, made(id || k), k, FALSE, 'running', '', 0, 0, 0 FROM fleet, unnest('{devices,positions,trips}'::text[]) k;
INSERT INTO job_hour (tenant_id, connection_id, kind, hour, runs, failures, records) SELECT tenant_id, id, 'positions', h, 1, 0, 1 FROM fleet, generate_series(1, 12) h;
INSERT INTO connection_quality (tenant_id, connection_id, verdict, facts, updated_at) SELECT tenant_id, id, 'good', '{}', 0 FROM fleet;
INSERT INTO connection_file (tenant_id, connection_id, version, text, since) SELECT tenant_id, id, 'v', 'name: acme', 0 FROM fleet;
INSERT INTO connection_inbound (tenant_id, connection_id, token_hash, created_at) SELECT tenant_id, id, '\x00', 0 FROM fleet;
INSERT INTO connection_link (tenant_id, id, hash, business_name, tags, providers, connection_id, created_at, expires_at)
    SELECT tenant_id, made('link ' || id), md5(id::text), 'name', '[]', '[]', id, 0, 0 FROM fleet;
INSERT INTO connection_share (tenant_id, connection_id, shared_with, created_at, id, accepted_at)
    SELECT f.tenant_id, f.id, o.id, 0, made('share ' || f.id), 0 FROM shape, fleet f JOIN owner o ON o.n = 1 + f.owner % (SELECT MAX(n) FROM owner) WHERE f.n = 1;
INSERT INTO tag (tenant_id, id, name) SELECT id, made('tag ' || n || t), 'tag ' || t FROM owner, generate_series(1, 10) t;
INSERT INTO connection_tag (tenant_id, connection_id, tag_id) SELECT tenant_id, id, made('tag ' || owner || 1 + n % 10) FROM fleet;
INSERT INTO purge (tenant_id, connection_id, due_at, event_after, event_to) SELECT id, made('erased ' || n), n, 0, 0 FROM owner;

INSERT INTO device (tenant_id, id, connection_id, system_device_id, description, registration, active, tags, edited, created_at, updated_at)
    SELECT tenant_id, id, connection_id, 'system ' || n, 'truck ' || number, 'B-' || number, number % 20 <> 0, CASE WHEN number % 10 = 0 THEN '["red"]' ELSE '[]' END, '[]', 0, 0 FROM vehicle;
INSERT INTO device_latest (tenant_id, device_id, position_time, position, trip_state, trip_due, reported_hour, state, state_since, silent_due)
    SELECT tenant_id, id, number * 1000, '\x', '\x00', CASE WHEN number % 2 = 0 THEN number * 1000 END, number % 48, 'moving', 0, CASE WHEN number % 3 = 0 THEN number * 1000 END FROM vehicle;
INSERT INTO setting (tenant_id, subject_id, settings) SELECT id, id, '{}' FROM owner UNION ALL SELECT tenant_id, id, '{}' FROM vehicle WHERE number % 10 = 0;
INSERT INTO journey (tenant_id, device_id, kind, started_at, connection_id, journey)
    SELECT tenant_id, id, k, j * 1000 + number, connection_id, '{}' FROM vehicle, generate_series(1, 2) j, unnest('{trip,milestone}'::text[]) k;
INSERT INTO trip (tenant_id, id, connection_id, device_id, system_trip_id, start_time, end_time, duration_seconds, is_valid, driver_id)
    SELECT tenant_id, made('trip ' || id || t), connection_id, id, t::text, t * 86400000::bigint + number, t * 86400000::bigint + number + 3600000, 3600, (number + t) % 8 <> 0, CASE WHEN t % 2 = 0 THEN 'driver ' || number % 20 END
    FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO stop (tenant_id, id, connection_id, device_id, start_time, end_time)
    SELECT tenant_id, made('stop ' || id || t), connection_id, id, t * 86400000::bigint + number + 3600000, (t + 1) * 86400000::bigint + number FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO fault (tenant_id, id, connection_id, device_id, fault_key, protocol, code, lamps, status, first_seen_at, last_seen_at, closed_at, silent_due)
    SELECT tenant_id, made('fault ' || id || t), connection_id, id, 'obd P' || t, 'obd', 'P' || t, '[]', CASE WHEN t % 2 = 0 THEN 'open' ELSE 'closed' END, t * 86400000::bigint + number, t * 86400000::bigint + number,
        CASE WHEN t % 2 = 1 THEN t * 86400000::bigint + number END, CASE WHEN t % 2 = 0 THEN (t + 30) * 86400000::bigint END FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO note (tenant_id, id, device_id, author, author_id, created_at, text)
    SELECT tenant_id, made('note ' || id || t), id, 'ann', 'ann', t * 86400000::bigint + number, 'text' FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO safety_event (tenant_id, id, connection_id, device_id, system_event_id, type, native_type, driver_id, start_time, status)
    SELECT tenant_id, made('safety ' || id || t), connection_id, id, t::text, 'speeding', 'overspeed', CASE WHEN t % 2 = 0 THEN 'driver ' || number % 20 END, t * 86400000::bigint + number, 'open'
    FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO assignment (tenant_id, id, connection_id, device_id, system_id, driver_id, method, start_time, end_time)
    SELECT tenant_id, made('assignment ' || id || t), connection_id, id, t::text, 'driver ' || number % 20, 'app', t * 86400000::bigint + number,
        CASE WHEN t < trips THEN (t + 1) * 86400000::bigint + number ELSE 253370764800000 END FROM shape, vehicle, generate_series(1, trips) t;
INSERT INTO open_stop (tenant_id, device_id, id, connection_id, start_time) SELECT tenant_id, id, made('stop ' || id), connection_id, number * 1000 FROM vehicle WHERE number % 2 = 1;
INSERT INTO device_day (tenant_id, device_id, day, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms, stops, stopped_ms, stop_engine_ms, stop_auxiliary_ms, unseen_mm)
    SELECT tenant_id, id, d, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 FROM shape, vehicle, generate_series(1, trips) d;
INSERT INTO trip_day (tenant_id, day, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms) SELECT tenant_id, d, id, 1, 1, 1, 1, 1, 1 FROM fleet, generate_series(1, 10) d;
INSERT INTO stop_day (tenant_id, day, connection_id, stops, duration_ms, engine_on_ms, auxiliary_ms) SELECT tenant_id, d, id, 1, 1, 1, 1 FROM fleet, generate_series(1, 10) d;
INSERT INTO trip_total (tenant_id, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms) SELECT tenant_id, id, 1, 1, 1, 1, 1, 1 FROM fleet;
INSERT INTO recompute (tenant_id, id, state, window_from, window_to, notify, devices_total, devices_done, trips_added, trips_changed, trips_removed, attempts, due_at, created_at)
    SELECT id, made('job ' || n || j), CASE WHEN j = 1 THEN 'queued' ELSE 'done' END, 0, 0, FALSE, 0, 0, 0, 0, 0, 0, CASE WHEN j = 1 THEN n END, j FROM owner, generate_series(1, 10) j;
INSERT INTO export (tenant_id, id, kind, format, filters, state, progress, records, bytes, created_at, expires_at, file)
    SELECT id, made('export ' || n || e), 'trips', 'csv', '{}', CASE WHEN e = 1 THEN 'queued' ELSE 'done' END, 1, 1, 1, e, e, 'file ' || e FROM owner, generate_series(1, 10) e;
INSERT INTO export_chunk (tenant_id, export_id, file, number, content) SELECT id, made('export ' || n || e), 'file ' || e, c, '\x00' FROM owner, generate_series(2, 10) e, generate_series(0, 2) c;

INSERT INTO milestone (tenant_id, id, device_tenant_id, device_id, connection_id, start_latitude, start_longitude, end_latitude, end_longitude, start_time, end_time, created_at, updated_at, status, state, webhook_url, webhook_enabled, due_at, arrived_at)
    SELECT tenant_id, milestone_id, tenant_id, id, connection_id, 1, 1, 2, 2, m * 1000, m * 2000, m * 1000, m * 1000, CASE WHEN m = 1 THEN 'in_transit' ELSE 'trip_ended' END, '{}', 'https://example.com',
    number % 4 = 0, CASE WHEN m = 1 THEN number * 1000 END, CASE WHEN m > 1 THEN number * 1000 END FROM errand;
INSERT INTO eta_prediction (tenant_id, milestone_id, time, eta, distance_km) SELECT tenant_id, milestone_id, p, p, 1 FROM errand, generate_series(1, 3) p WHERE m < 3;
INSERT INTO milestone_link (tenant_id, id, milestone_id, hash, created_at, expires_at) SELECT tenant_id, made('link ' || milestone_id), milestone_id, md5(milestone_id::text), 0, number * 1000 FROM errand WHERE m = 1;

INSERT INTO webhook (tenant_id, id, url, enabled, created_at, updated_at, filters, options, secrets) SELECT tenant_id, id, 'https://example.com', TRUE, 0, 0, '{}', '{}', '\x00' FROM target;
INSERT INTO event_sequence (tenant_id, last) SELECT id, events FROM shape, owner;
INSERT INTO event (tenant_id, sequence, id, type, time, connection_id, device_id, milestone_id, data)
    SELECT tenant_id, s, made('event ' || owner || ' ' || s), CASE WHEN s % 4 = 0 THEN 'milestone.updated' ELSE 'position.updated' END, s * 1000, connection_id, id, CASE WHEN s % 4 = 0 THEN made('milestone ' || id || ' 1') END, '{}'
    FROM shape, generate_series(1, events) s JOIN vehicle ON number = 1 + s % (SELECT connections * devices FROM shape);
INSERT INTO event_block (tenant_id, first, last, connection_id, data) SELECT id, b * 20, b * 20 + 19, made('connection ' || n || ' 1'), '\x00' FROM owner, generate_series(1, 10) b;
INSERT INTO event_day (tenant_id, day, type, events) SELECT id, d, k, 1 FROM owner, generate_series(1, 10) d, unnest('{position.updated,milestone.updated,trip.completed}'::text[]) k;
INSERT INTO delivery (tenant_id, target_id, event_id, kind, sequence, type, state, connection_id, device_id, speed, driver, created_at, due_at, attempts)
    SELECT tenant_id, id, made('event ' || owner || ' ' || s), 'webhook', s, CASE WHEN s % 4 = 0 THEN 'milestone.updated' ELSE 'position.updated' END, CASE WHEN s > events - 5 THEN 'pending' ELSE 'delivered' END,
    made('connection ' || owner || ' 1'), NULL, FALSE, FALSE, s * 1000, s * 1000, 1 FROM shape, target, generate_series(events - 24, events) s;
INSERT INTO attempt (tenant_id, target_id, event_id, number, time, status, duration_ms) SELECT tenant_id, target_id, event_id, 1, due_at, 200, 5 FROM delivery;
INSERT INTO delivery_target (tenant_id, target_id, leased_until, leased_by) SELECT tenant_id, id, CASE WHEN w = 1 THEN 0 ELSE 1000000 END, 'process ' || owner % 2 FROM target;
INSERT INTO inbox (tenant_id, owner_id, sequence) SELECT o.id, f.tenant_id, 0 FROM fleet f JOIN owner o ON o.n = 1 + f.owner % (SELECT MAX(n) FROM owner) WHERE f.n = 1;
INSERT INTO outbox (tenant_id, recipient_id, first_sequence, last_sequence, connection_id, subjects) SELECT i.owner_id, i.tenant_id, s * 10, s * 10 + 9, made('connection'), '[]' FROM inbox i, generate_series(1, 10) s;
INSERT INTO message (tenant_id, recipient_id, number, after_sequence, kind, content) SELECT i.owner_id, i.tenant_id, m, m, 'positions', '{}' FROM inbox i, generate_series(1, 10) m;

CREATE TABLE position_0 PARTITION OF position FOR VALUES FROM (0) TO (604800000);
CREATE TABLE position_604800000 PARTITION OF position FOR VALUES FROM (604800000) TO (1209600000);
INSERT INTO position (tenant_id, device_id, time, latitude, longitude) SELECT tenant_id, id, p * 200000000::bigint + number, 1, 1 FROM vehicle, generate_series(0, 5) p;
INSERT INTO position (tenant_id, device_id, time, latitude, longitude, suspect) SELECT tenant_id, id, -1 - number, 1, 1, 'time' FROM vehicle;
INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) SELECT tenant_id, id, b * 86400000::bigint + number, b * 86400000::bigint + 80000000, 100, '\x00' FROM vehicle, generate_series(0, 3) b;
INSERT INTO position_change (tenant_id, device_id, day, changed_at) SELECT tenant_id, id, 0, number FROM vehicle WHERE number % 5 = 0;
INSERT INTO packed_day (tenant_id, day, changed_at) SELECT id, d * 86400000::bigint, d FROM owner, generate_series(0, 10) d;
