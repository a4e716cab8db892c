-- Names and plates are looked for by their beginning.
CREATE INDEX device_search_registration ON device (tenant_id, (LOWER(registration) COLLATE "C"));
CREATE INDEX device_search_description ON device (tenant_id, (LOWER(description) COLLATE "C"));
CREATE INDEX device_search_system_device_id ON device (tenant_id, (LOWER(system_device_id) COLLATE "C"));
