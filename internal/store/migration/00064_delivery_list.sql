-- Deliveries are listed over all targets of a tenant, newest event first.
CREATE INDEX delivery_event ON delivery (tenant_id, event_id, target_id);
