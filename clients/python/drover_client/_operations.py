"""A method for each operation of the service.

Written from the OpenAPI document by: make generate
"""

from __future__ import annotations

import datetime
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from . import types

#: A time: a datetime with a zone, or a text of RFC 3339.
Time = Union[str, datetime.datetime]
#: Headers of a request.
Headers = Optional[Mapping[str, str]]
#: Takes the headers of the answer, with names in lower case.
Answer = Optional[Dict[str, str]]


class Operations:
    """The operations, named as in the document. Parameters that are left out are not
    sent; bodies and answers are dicts, whose keys are in types. Lists that come in pages are
    generators, which fetch the next page when it is needed; a cursor is where they begin."""

    def call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None, headers: Headers = None, answer: Answer = None) -> Any:
        raise NotImplementedError

    def list(self, path: str, query: Optional[Mapping[str, Any]] = None, headers: Headers = None, answer: Answer = None) -> Iterator[Any]:
        raise NotImplementedError

    def get_activity_summary(self, *, days: Optional[int] = None, limit: Optional[int] = None, stops: Optional[bool] = None, headers: Headers = None, answer: Answer = None) -> types.ActivitySummary:
        """GET /account/activity-summary: What happened to the tenant's fleet over the last days. Days are days in UTC, today included. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/activity-summary", {"days": days, "limit": limit, "stops": stops}, headers=headers, answer=answer)

    def get_brand(self, *, headers: Headers = None, answer: Answer = None) -> types.Brand:
        """GET /account/brand: How the tenant shows itself on the pages that people without a login see: its name, its colour, its logo. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/brand", None, headers=headers, answer=answer)

    def patch_brand(self, body: types.BrandUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Brand:
        """PATCH /account/brand: Changes what is sent. The pages of links show it when they are loaded. Needs `admin`: admins, and keys with that scope."""
        return self.call("PATCH", "/account/brand", None, body=body, headers=headers, answer=answer)

    def list_account_limits(self, *, headers: Headers = None, answer: Answer = None) -> List[types.AccountLimit]:
        """GET /account/limits: How much the tenant may have of everything that is bounded, and how much it has. A request for more is answered with 403 and the words Limit of N … reached. The operator sets the limits. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/limits", None, headers=headers, answer=answer)

    def get_factor_rule(self, *, headers: Headers = None, answer: Answer = None) -> types.FactorRule:
        """GET /account/second-factor: The roles of which the tenant requires a second factor. Needs `admin`: admins, and keys with that scope."""
        return self.call("GET", "/account/second-factor", None, headers=headers, answer=answer)

    def patch_factor_rule(self, body: types.FactorRuleUpdate, *, headers: Headers = None, answer: Answer = None) -> types.FactorRule:
        """PATCH /account/second-factor: Changes what is sent, at once: users of these roles who have none can do nothing but set one up. API keys go on. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("PATCH", "/account/second-factor", None, body=body, headers=headers, answer=answer)

    def get_account_settings(self, *, headers: Headers = None, answer: Answer = None) -> types.AccountSettings:
        """GET /account/settings: What the tenant has set for all of its devices, and what holds. A connection's configuration and a device's settings are narrower, and win. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/settings", None, headers=headers, answer=answer)

    def patch_account_settings(self, body: types.AccountSettingsUpdate, *, headers: Headers = None, answer: Answer = None) -> types.AccountSettings:
        """PATCH /account/settings: Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/account/settings", None, body=body, headers=headers, answer=answer)

    def get_single_sign_on(self, *, headers: Headers = None, answer: Answer = None) -> types.SingleSignOn:
        """GET /account/sso: How the tenant's people sign in by its own OpenID Connect provider, and whether they may with a password too. The client secret is not shown. Needs `admin`: admins, and keys with that scope."""
        return self.call("GET", "/account/sso", None, headers=headers, answer=answer)

    def patch_single_sign_on(self, body: types.SingleSignOnUpdate, *, headers: Headers = None, answer: Answer = None) -> types.SingleSignOn:
        """PATCH /account/sso: Changes what is sent, at once. Sessions that are open stay so. Password login can be switched off once an admin has signed in by the provider; the operator can switch it on again. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("PATCH", "/account/sso", None, body=body, headers=headers, answer=answer)

    def post_single_sign_on_test(self, *, headers: Headers = None, answer: Answer = None) -> types.SSOTest:
        """POST /account/sso/test: Asks the provider for its discovery document and its keys, and says what is wrong with them. Nothing is stored. Needs `admin`: admins, and keys with that scope."""
        return self.call("POST", "/account/sso/test", None, headers=headers, answer=answer)

    def get_account_storage(self, *, headers: Headers = None, answer: Answer = None) -> types.AccountStorage:
        """GET /account/storage: What the tenant's history takes in the database: positions as rows and in packed days, events, and by how much it grows. And for how many days it is kept. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/storage", None, headers=headers, answer=answer)

    def get_account_summary(self, *, headers: Headers = None, answer: Answer = None) -> types.AccountSummary:
        """GET /account/summary: The tenant's data in numbers. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/account/summary", None, headers=headers, answer=answer)

    def get_account_webhook_secret(self, *, headers: Headers = None, answer: Answer = None) -> types.WebhookSecret:
        """GET /account/webhook-secret: The secret that signs what is sent to the webhooks of milestones. Needs `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("GET", "/account/webhook-secret", None, headers=headers, answer=answer)

    def post_account_webhook_secret(self, *, headers: Headers = None, answer: Answer = None) -> types.WebhookSecret:
        """POST /account/webhook-secret: Makes a new one. For 24 hours deliveries are signed with the one before too. Needs `write` and `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/account/webhook-secret", None, headers=headers, answer=answer)

    def list_api_keys(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.APIKey]:
        """GET /api-key: The tenant's keys, oldest first, without their secrets. Needs `admin`: admins, and keys with that scope."""
        return self.list("/api-key", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_api_key(self, body: types.APIKeyInput, *, headers: Headers = None, answer: Answer = None) -> types.APIKeyCreated:
        """POST /api-key: Makes a key for a program. Its secret is shown this once, and is accepted as a bearer wherever a token is. Admins give no key more than they have. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/api-key", None, body=body, headers=headers, answer=answer)

    def delete_api_key(self, api_key_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /api-key/{api_key_id}: Every process refuses the key within a second. Needs `admin`: admins, and keys with that scope."""
        return self.call("DELETE", "/api-key/" + quote(api_key_id, safe=""), None, headers=headers, answer=answer)

    def list_audit(self, *, actor_id: Optional[str] = None, action: Optional[str] = None, record_id: Optional[str] = None, outcome: Optional[types.AuditOutcome] = None, from_: Optional[Time] = None, to: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Audit]:
        """GET /audit: Who did what, to which record, from where and with which outcome, newest first: sign-ins and failed ones, secrets that were read, every change by a person or a key, and what was refused to them. It is kept for 400 days, and holds no secret. Needs `admin`: admins, and keys with that scope."""
        return self.list("/audit", {"actor_id": actor_id, "action": action, "record_id": record_id, "outcome": outcome, "from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_connections(self, *, telematics_provider: Optional[types.ProviderEnum] = None, include: Optional[Literal['health']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, sort: Optional[Literal['id', 'updated_at']] = None, updated_after: Optional[Time] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.ConnectionView]:
        """GET /connection: All connections within the caller's tenancy, its own and those shared with it, oldest first. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/connection", {"telematics_provider": telematics_provider, "include": include, "limit": limit, "cursor": cursor, "sort": sort, "updated_after": updated_after}, headers=headers, answer=answer)

    def post_connection(self, body: types.ConnectionInput, *, headers: Headers = None, answer: Answer = None) -> types.Connection:
        """POST /connection: Links the tenant to a provider. Whether the credentials work is found out by the first collection. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/connection", None, body=body, headers=headers, answer=answer)

    def list_connection_links(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.ConnectionLink]:
        """GET /connection-link: The links by which fleets connect themselves, oldest first, without their addresses. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/connection-link", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_connection_link(self, body: types.ConnectionLinkInput, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionLinkCreated:
        """POST /connection-link: Makes a link by which a fleet chooses its provider and enters its credentials itself, once. Its address is shown this once. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/connection-link", None, body=body, headers=headers, answer=answer)

    def delete_connection_link(self, link_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /connection-link/{link_id}: The link can no longer be used, nor withdrawn by. What was connected by it stays. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/connection-link/" + quote(link_id, safe=""), None, headers=headers, answer=answer)

    def list_connection_tags(self, *, headers: Headers = None, answer: Answer = None) -> List[types.ConnectionTag]:
        """GET /connection-tag: The tenant's tags by name. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection-tag", None, headers=headers, answer=answer)

    def post_connection_test(self, body: types.ConnectionTrialInput, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionTrial:
        """POST /connection/test: Asks the provider whether credentials work, how many vehicles they show, and for one position. Nothing is stored. What the provider refuses is in the answer, in words. It takes 20 seconds at the most. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/connection/test", None, body=body, headers=headers, answer=answer)

    def get_connection(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionWithTags:
        """GET /connection/{connection_id}: One connection with its tags. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe=""), None, headers=headers, answer=answer)

    def patch_connection(self, connection_id: str, body: types.ConnectionUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Connection:
        """PATCH /connection/{connection_id}: Changes the fields that are sent. Credentials and tags are set as a whole; new credentials are tried at once. An earlier collection_start_time is filled in where the provider keeps history. With active false nothing is collected. Of the configuration, units can be set: what the provider's numbers are in, where the adapter takes them for something else. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/connection/" + quote(connection_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_connection(self, connection_id: str, *, purge: Optional[bool] = None, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /connection/{connection_id}: Stops the collection at once and forgets the credentials. What was collected stays, and the connection is archived: with new credentials and active true it is collected again. With purge=true everything of it is erased in the background: its devices with their positions, trips and stops, milestones on them, events, sums, shares, and exports that may hold its records. configuration.purge says how far that is; at the end the connection is gone. Needs `write`: members, admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/connection/" + quote(connection_id, safe=""), {"purge": purge}, headers=headers, answer=answer)

    def get_connection_coverage(self, connection_id: str, *, days: Optional[int] = None, headers: Headers = None, answer: Answer = None) -> List[types.Coverage]:
        """GET /connection/{connection_id}/coverage: Which kinds of readings a connection gives: what its provider is declared to have, held against what its devices said in the last days, and what the account may not read. For the owner. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/coverage", {"days": days}, headers=headers, answer=answer)

    def get_connection_credentials(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionCredentials:
        """GET /connection/{connection_id}/credentials: The stored provider credentials, for the tenant that owns the connection alone. Needs `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/credentials", None, headers=headers, answer=answer)

    def get_connection_file(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionFile:
        """GET /connection/{connection_id}/file: Of a provider that a file of the operator describes: the text in the version that the connection is read with, the calls that the last runs made because of which lines, and what came of them. For the owner. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/file", None, headers=headers, answer=answer)

    def get_connection_health(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionDiagnosis:
        """GET /connection/{connection_id}/health: How the collection goes: state, last success, next run and, stream by stream, what is wrong in words. For the owner also what the data say of themselves: speeds, odometers, headings and times held against each other. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/health", None, headers=headers, answer=answer)

    def post_inbound(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.InboundAddress:
        """POST /connection/{connection_id}/inbound: Makes an address that the connection's provider may call with news, so that they are read at once: for Bouncie, Motive, Samsara and Verizon Connect. It is shown this once, and replaces the one before. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/connection/" + quote(connection_id, safe="") + "/inbound", None, headers=headers, answer=answer)

    def post_records(self, connection_id: str, body: List[types.Record], *, headers: Headers = None, answer: Answer = None) -> types.RecordResult:
        """POST /connection/{connection_id}/record: Takes up to 1,000 records of devices, positions, trips, readings, drivers, faults and safety events for a connection to push, which an operator enables: a JSON array, or one record a line as NDJSON. A record is known by its device and time, a trip by its device and system_trip_id, a driver by system_driver_id, a fault by its device and code, a safety event by its device and system_event_id: what was sent before changes nothing, so that a batch may be sent again. A record that is refused leaves the others alone; the answer says of each what became of it. A body has 1 MiB and a record 64 KiB at the most. A tenant may have 8 batches under way: more are answered with 429. Needs `push`: members, admins, and keys with that scope."""
        return self.call("POST", "/connection/" + quote(connection_id, safe="") + "/record", None, body=body, headers=headers, answer=answer)

    def list_connection_runs(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> List[types.JobHour]:
        """GET /connection/{connection_id}/run: How the runs of the last 24 hours went, by kind and hour. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/run", None, headers=headers, answer=answer)

    def get_connection_settings(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionSettings:
        """GET /connection/{connection_id}/settings: What is set for a connection, and what holds for its devices that have set nothing: the connection's own setting before the tenant's, before the default. PATCH /connection/{connection_id} sets it. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/settings", None, headers=headers, answer=answer)

    def list_shares(self, connection_id: str, *, headers: Headers = None, answer: Answer = None) -> List[types.Share]:
        """GET /connection/{connection_id}/share: The tenants that a connection is shared with. Needs `admin`: admins, and keys with that scope."""
        return self.call("GET", "/connection/" + quote(connection_id, safe="") + "/share", None, headers=headers, answer=answer)

    def post_share(self, connection_id: str, body: types.ShareInput, *, headers: Headers = None, answer: Answer = None) -> types.Share:
        """POST /connection/{connection_id}/share: Offers the connection to another tenant, named by its id or by a code that it has made. Once it is accepted, that tenant reads the connection, its devices and trips and, by the scopes, positions and drivers; never its credentials. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/connection/" + quote(connection_id, safe="") + "/share", None, body=body, headers=headers, answer=answer)

    def put_share(self, connection_id: str, tenant_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Share:
        """PUT /connection/{connection_id}/share/{tenant_id}: Offers the connection to another tenant with all scopes and without an end. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("PUT", "/connection/" + quote(connection_id, safe="") + "/share/" + quote(tenant_id, safe=""), None, headers=headers, answer=answer)

    def delete_share(self, connection_id: str, tenant_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /connection/{connection_id}/share/{tenant_id}: Takes another tenant's access back. Needs `admin`: admins, and keys with that scope."""
        return self.call("DELETE", "/connection/" + quote(connection_id, safe="") + "/share/" + quote(tenant_id, safe=""), None, headers=headers, answer=answer)

    def post_sync(self, connection_id: str, body: Optional[types.SyncInput] = None, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionHealth:
        """POST /connection/{connection_id}/sync: Collects at once or, with from and to, fills a window of the past in. The jobs are part of the health that it returns. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/connection/" + quote(connection_id, safe="") + "/sync", None, body=body, headers=headers, answer=answer)

    def delete_sync(self, connection_id: str, job_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /connection/{connection_id}/sync/{job_id}: Ends a job that fills a window in. What it has read stays. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/connection/" + quote(connection_id, safe="") + "/sync/" + quote(job_id, safe=""), None, headers=headers, answer=answer)

    def list_all_deliveries(self, *, webhook_id: Optional[str] = None, milestone_id: Optional[str] = None, type: Optional[types.EventType] = None, state: Optional[types.DeliveryState] = None, code: Optional[types.CodeClass] = None, from_: Optional[Time] = None, to: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.DeliverySummary]:
        """GET /delivery: What was and is to be sent to all webhooks and to milestones' own, newest event first, each with its last attempt. It reaches back 30 days. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/delivery", {"webhook_id": webhook_id, "milestone_id": milestone_id, "type": type, "state": state, "code": code, "from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_delivery(self, delivery_id: str, *, headers: Headers = None, answer: Answer = None) -> types.DeliveryDetail:
        """GET /delivery/{delivery_id}: One delivery with all attempts, and the request as it was sent: headers, body and signature. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`."""
        return self.call("GET", "/delivery/" + quote(delivery_id, safe=""), None, headers=headers, answer=answer)

    def list_devices(self, *, connection_id: Optional[str] = None, tag: Optional[str] = None, active: Optional[bool] = None, q: Optional[str] = None, state: Optional[types.DeviceState] = None, sort: Optional[Literal['id', 'description', 'registration', 'position_time', 'updated_at']] = None, order: Optional[Literal['asc', 'desc']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Device]:
        """GET /device: Devices of the tenant's connections and of those shared with it, in the order in which they were found unless another is asked for. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/device", {"connection_id": connection_id, "tag": tag, "active": active, "q": q, "state": state, "sort": sort, "order": order, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_device_tags(self, body: types.DeviceTagInput, *, headers: Headers = None, answer: Answer = None) -> types.DeviceTagResult:
        """POST /device/tag: Adds tags to up to 1,000 devices and takes others away: of all of them, or of none where one is not the tenant's own or would have more than ten. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/device/tag", None, body=body, headers=headers, answer=answer)

    def get_device(self, device_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Device:
        """GET /device/{device_id}: One device. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/device/" + quote(device_id, safe=""), None, headers=headers, answer=answer)

    def patch_device(self, device_id: str, body: types.DeviceUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Device:
        """PATCH /device/{device_id}: Changes the fields that are sent; collection leaves them alone from then on. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/device/" + quote(device_id, safe=""), None, body=body, headers=headers, answer=answer)

    def list_device_days(self, device_id: str, *, from_: Optional[Time] = None, to: Optional[str] = None, include: Optional[Literal['readings']] = None, headers: Headers = None, answer: Answer = None) -> List[types.DeviceDay]:
        """GET /device/{device_id}/day: What a device did on each day of its time zone, from one date to another: trips and stops over midnight are divided by its positions. At most 400 days; the last 30 unless others are asked for. With include=readings each has what the vehicle's counters show. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/day", {"from": from_, "to": to, "include": include}, headers=headers, answer=answer)

    def get_device_driver(self, device_id: str, *, headers: Headers = None, answer: Answer = None) -> List[types.DriverAssignment]:
        """GET /device/{device_id}/driver: Who drives a device, by its newest position and what the provider states of its time: an empty list where neither names anyone, or the position is older than two hours. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/driver", None, headers=headers, answer=answer)

    def list_notes(self, device_id: str, *, trip_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Note]:
        """GET /device/{device_id}/note: What people have written down about a device of the tenant's own and its trips, newest first. Notes are never shared. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/device/" + quote(device_id, safe="") + "/note", {"trip_id": trip_id, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_note(self, device_id: str, body: types.NoteInput, *, headers: Headers = None, answer: Answer = None) -> types.Note:
        """POST /device/{device_id}/note: Writes down a text about a device or one of its trips, with the caller's name. A device has at most 1,000 notes. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/device/" + quote(device_id, safe="") + "/note", None, body=body, headers=headers, answer=answer)

    def delete_note(self, device_id: str, note_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /device/{device_id}/note/{note_id}: Its author may, and an admin. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/device/" + quote(device_id, safe="") + "/note/" + quote(note_id, safe=""), None, headers=headers, answer=answer)

    def get_device_position(self, device_id: str, *, include: Optional[Literal['detail']] = None, headers: Headers = None, answer: Answer = None) -> types.CurrentPosition:
        """GET /device/{device_id}/position: Where a device was last; with include=detail also ignition, auxiliary and odometer. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/position", {"include": include}, headers=headers, answer=answer)

    def list_device_positions(self, device_id: str, *, from_: Time, to: Optional[Time] = None, include_suspect: Optional[bool] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.HistoricPosition]:
        """GET /device/{device_id}/positions: A device's positions of [from, to), oldest first, as JSON, GeoJSON or GPX. In the last two, without a limit, up to 20,000 are in one answer; where there are more, x-next-cursor and a link in the file itself say so. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.list("/device/" + quote(device_id, safe="") + "/positions", {"from": from_, "to": to, "include_suspect": include_suspect, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_device_readings(self, device_id: str, *, headers: Headers = None, answer: Answer = None) -> List[types.NewestReading]:
        """GET /device/{device_id}/reading: What the instruments of a device said last: the newest reading of each kind and channel. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/reading", None, headers=headers, answer=answer)

    def list_device_readings(self, device_id: str, *, from_: Time, kind: Optional[Sequence[types.ReadingKind]] = None, to: Optional[Time] = None, order: Optional[Literal['asc', 'desc']] = None, suspect: Optional[bool] = None, every: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Reading]:
        """GET /device/{device_id}/readings: A device's readings of [from, to), of all series, those that are believed unless others are asked for. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`."""
        return self.list("/device/" + quote(device_id, safe="") + "/readings", {"kind": kind, "from": from_, "to": to, "order": order, "suspect": suspect, "every": every, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_device_settings(self, device_id: str, *, headers: Headers = None, answer: Answer = None) -> types.DeviceSettings:
        """GET /device/{device_id}/settings: What is set for a device, and what holds for it: the device's own setting before the connection's, before the tenant's, before the default. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/settings", None, headers=headers, answer=answer)

    def patch_device_settings(self, device_id: str, body: types.DeviceSettingsUpdate, *, headers: Headers = None, answer: Answer = None) -> types.DeviceSettings:
        """PATCH /device/{device_id}/settings: Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/device/" + quote(device_id, safe="") + "/settings", None, body=body, headers=headers, answer=answer)

    def get_device_track(self, device_id: str, *, from_: Time, to: Optional[Time] = None, tolerance: Optional[float] = None, headers: Headers = None, answer: Answer = None) -> types.Track:
        """GET /device/{device_id}/track: The whole way of a device in [from, to), at most 31 days, in one answer. At most 5,000 points, simplified by tolerance; segments say what the device did: driving, idling, auxiliary, stopped, or a hole that nothing is known of. As JSON with one list for each field of the points, GeoJSON or GPX. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`."""
        return self.call("GET", "/device/" + quote(device_id, safe="") + "/track", {"from": from_, "to": to, "tolerance": tolerance}, headers=headers, answer=answer)

    def list_drivers(self, *, connection_id: Optional[str] = None, system_driver_id: Optional[str] = None, tag: Optional[str] = None, active: Optional[bool] = None, q: Optional[str] = None, sort: Optional[Literal['id', 'updated_at']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Driver]:
        """GET /driver: The persons who drive, as the providers of the tenant's connections list them, and of those shared with it, in the order in which they were found. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.list("/driver", {"connection_id": connection_id, "system_driver_id": system_driver_id, "tag": tag, "active": active, "q": q, "sort": sort, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_driver_assignments(self, *, from_: Time, device_id: Optional[str] = None, driver_id: Optional[str] = None, to: Optional[Time] = None, headers: Headers = None, answer: Answer = None) -> List[types.DriverAssignment]:
        """GET /driver-assignment: Who drove a device, or what a driver drove, by start: assignments that share time with [from, to), at most 31 days. They are made of what the provider states of who drove, where it does, and of trips that name their driver: those that follow each other within two hours are one. Of two that speak of one time, the one that is believed more holds. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`."""
        return self.call("GET", "/driver-assignment", {"device_id": device_id, "driver_id": driver_id, "from": from_, "to": to}, headers=headers, answer=answer)

    def get_driver_erasure(self, erasure_id: str, *, headers: Headers = None, answer: Answer = None) -> types.DriverErasure:
        """GET /driver-erasure/{erasure_id}: How far it is. Needs `admin`: admins, and keys with that scope."""
        return self.call("GET", "/driver-erasure/" + quote(erasure_id, safe=""), None, headers=headers, answer=answer)

    def get_driver(self, driver_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Driver:
        """GET /driver/{driver_id}: One driver, by the id of its record. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`."""
        return self.call("GET", "/driver/" + quote(driver_id, safe=""), None, headers=headers, answer=answer)

    def patch_driver(self, driver_id: str, body: types.DriverUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Driver:
        """PATCH /driver/{driver_id}: Changes the fields that are sent; collection leaves them alone from then on. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/driver/" + quote(driver_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_driver(self, driver_id: str, *, headers: Headers = None, answer: Answer = None) -> types.DriverErasure:
        """DELETE /driver/{driver_id}: Replaces a driver, by the value of a driver_id or the id of its record, with a made-up pseudonym in trips, positions, events and what is kept of deliveries, in the background. Of the record the pseudonym is left, and nothing of the person. Exports that may name the driver are dropped. Take the driver away at the provider first: what it reports later is stored again. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/driver/" + quote(driver_id, safe=""), None, headers=headers, answer=answer)

    def list_events(self, *, type: Optional[Sequence[types.EventType]] = None, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, order: Optional[Literal['asc', 'desc']] = None, wait: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Event]:
        """GET /event: Events after the cursor, in the order of their sequence; without a cursor from the first one on. x-next-cursor is always there: at the end of the feed it is where to go on later, and no Link names a next page. With order=desc the newest come first, and the first has no cursor. With wait the answer is held back until there is an event. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`."""
        return self.list("/event", {"type": type, "device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "order": order, "wait": wait, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_exports(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Export]:
        """GET /export: The tenant's exports, newest first. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/export", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_export(self, body: types.ExportInput, *, headers: Headers = None, answer: Answer = None) -> types.Export:
        """POST /export: Makes a file of the records that a list would show, in the background. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/export", None, body=body, headers=headers, answer=answer)

    def get_export(self, export_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Export:
        """GET /export/{export_id}: One export with its state and progress. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/export/" + quote(export_id, safe=""), None, headers=headers, answer=answer)

    def delete_export(self, export_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /export/{export_id}: Cancels an export that has not ended: it stays, as cancelled. Forgets one that has ended, with its file. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/export/" + quote(export_id, safe=""), None, headers=headers, answer=answer)

    def list_faults(self, *, device_id: Optional[Sequence[str]] = None, connection_id: Optional[Sequence[str]] = None, tag: Optional[Sequence[str]] = None, status: Optional[Sequence[types.FaultStatus]] = None, protocol: Optional[Sequence[types.FaultProtocol]] = None, code: Optional[Sequence[str]] = None, from_: Optional[Time] = None, to: Optional[Time] = None, sort: Optional[Literal['id', 'updated_at']] = None, order: Optional[Literal['asc', 'desc']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Fault]:
        """GET /fault: What vehicles report as broken, open and closed, in the order in which it became known. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`."""
        return self.list("/fault", {"device_id": device_id, "connection_id": connection_id, "tag": tag, "status": status, "protocol": protocol, "code": code, "from": from_, "to": to, "sort": sort, "order": order, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_fault(self, fault_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Fault:
        """GET /fault/{fault_id}: One fault. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`."""
        return self.call("GET", "/fault/" + quote(fault_id, safe=""), None, headers=headers, answer=answer)

    def post_notice(self, connection_id: str, inbound_token: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """POST /inbound/{connection_id}/{inbound_token}: A provider says that there is something new: positions that it sends along are stored, and the connection's positions are read at once. Its own signature, or key, is verified where the credentials have a webhook_secret. The body is the provider's, of at most 1 MiB, and nothing else of it is kept."""
        return self.call("POST", "/inbound/" + quote(connection_id, safe="") + "/" + quote(inbound_token, safe=""), None, headers=headers, answer=answer)

    def post_logout(self, *, headers: Headers = None, answer: Answer = None) -> None:
        """POST /logout: Ends the session of the token: all its tokens are refused from then on. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/logout", None, headers=headers, answer=answer)

    def list_milestones(self, *, status: Optional[types.MilestoneStatus] = None, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, reference: Optional[str] = None, metadata: Optional[Sequence[str]] = None, sort: Optional[Literal['id', 'start_time', 'end_time', 'updated_at']] = None, order: Optional[Literal['asc', 'desc']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, updated_after: Optional[Time] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Milestone]:
        """GET /milestone: The tenant's milestones, in the order in which they were made unless another is asked for. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/milestone", {"status": status, "device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "reference": reference, "metadata": metadata, "sort": sort, "order": order, "limit": limit, "cursor": cursor, "updated_after": updated_after}, headers=headers, answer=answer)

    def post_milestone(self, body: types.MilestoneInput, *, headers: Headers = None, answer: Answer = None) -> types.Milestone:
        """POST /milestone: Begins to track a journey of a device. Positions that are stored already count. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/milestone", None, body=body, headers=headers, answer=answer)

    def list_milestone_updates(self, *, status: Optional[types.MilestoneStatus] = None, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, reference: Optional[str] = None, metadata: Optional[Sequence[str]] = None, sort: Optional[Literal['id', 'start_time', 'end_time', 'updated_at']] = None, order: Optional[Literal['asc', 'desc']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.MilestoneUpdateEntry]:
        """GET /milestone/update: The update records of the tenant's milestones, each with its status, how late it is, and how much of the way is done. Arrivals are predicted without asking a routing server. Milestones whose device may not be read any more are left out. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.list("/milestone/update", {"status": status, "device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "reference": reference, "metadata": metadata, "sort": sort, "order": order, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_milestone(self, milestone_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Milestone:
        """GET /milestone/{milestone_id}: One milestone. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/milestone/" + quote(milestone_id, safe=""), None, headers=headers, answer=answer)

    def patch_milestone(self, milestone_id: str, body: types.MilestoneUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Milestone:
        """PATCH /milestone/{milestone_id}: Changes the fields that are sent. Changing the device, a point or a time starts the tracking again. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/milestone/" + quote(milestone_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_milestone(self, milestone_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /milestone/{milestone_id}: Ends the tracking and forgets the milestone. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/milestone/" + quote(milestone_id, safe=""), None, headers=headers, answer=answer)

    def list_milestone_eta_history(self, milestone_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.ETAPrediction]:
        """GET /milestone/{milestone_id}/eta-history: The arrivals that were predicted on the way, every few minutes, against the real one. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`."""
        return self.list("/milestone/" + quote(milestone_id, safe="") + "/eta-history", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_milestone_events(self, milestone_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Event]:
        """GET /milestone/{milestone_id}/event: What happened to a milestone, in order. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.list("/milestone/" + quote(milestone_id, safe="") + "/event", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_milestone_replay(self, milestone_id: str, body: types.ReplayInput, *, headers: Headers = None, answer: Answer = None) -> types.ReplayResult:
        """POST /milestone/{milestone_id}/replay: Sends to the milestone's own webhook again: one delivery by its event_id or, with since, all of events since then that failed or were skipped. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/milestone/" + quote(milestone_id, safe="") + "/replay", None, body=body, headers=headers, answer=answer)

    def list_milestone_links(self, milestone_id: str, *, headers: Headers = None, answer: Answer = None) -> List[types.MilestoneLink]:
        """GET /milestone/{milestone_id}/share: The links by which people without a user follow the journey, oldest first, without their addresses. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/milestone/" + quote(milestone_id, safe="") + "/share", None, headers=headers, answer=answer)

    def post_milestone_link(self, milestone_id: str, body: Optional[types.MilestoneLinkInput] = None, *, headers: Headers = None, answer: Answer = None) -> types.MilestoneLinkCreated:
        """POST /milestone/{milestone_id}/share: Makes a link by which anyone who has it follows the journey: where the vehicle is while it is on its way, and when it arrives. Its address is shown this once. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/milestone/" + quote(milestone_id, safe="") + "/share", None, body=body, headers=headers, answer=answer)

    def delete_milestone_link(self, milestone_id: str, link_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /milestone/{milestone_id}/share/{link_id}: The link shows nothing from then on. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/milestone/" + quote(milestone_id, safe="") + "/share/" + quote(link_id, safe=""), None, headers=headers, answer=answer)

    def post_milestone_test(self, milestone_id: str, *, wait: Optional[int] = None, headers: Headers = None, answer: Answer = None) -> types.DeliveryAttempt:
        """POST /milestone/{milestone_id}/test: Sends a webhook.test to the milestone's own webhook, once, and waits for what comes of it. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/milestone/" + quote(milestone_id, safe="") + "/test", {"wait": wait}, headers=headers, answer=answer)

    def get_milestone_update(self, milestone_id: str, *, headers: Headers = None, answer: Answer = None) -> types.MilestoneUpdateRecord:
        """GET /milestone/{milestone_id}/update: Where the device is and when it arrives. Without a position younger than the timeout, eta and distance_to_destination_km are null. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.call("GET", "/milestone/" + quote(milestone_id, safe="") + "/update", None, headers=headers, answer=answer)

    def list_operator_audit(self, *, actor_id: Optional[str] = None, action: Optional[str] = None, record_id: Optional[str] = None, outcome: Optional[types.AuditOutcome] = None, from_: Optional[Time] = None, to: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Audit]:
        """GET /operator/audit: What the operator's keys and the command line did, newest first. Of what a key did in a tenant the record is the tenant; the tenant's own audit has the record, under the same request_id. It is kept for 400 days. Needs `audit:read`: keys of the operator with that scope."""
        return self.list("/operator/audit", {"actor_id": actor_id, "action": action, "record_id": record_id, "outcome": outcome, "from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_tenants(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.ManagedTenant]:
        """GET /operator/tenant: All tenants, oldest first. Needs `tenants:read`: keys of the operator with that scope."""
        return self.list("/operator/tenant", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_tenant(self, body: types.TenantInput, *, headers: Headers = None, answer: Answer = None) -> types.TenantCreated:
        """POST /operator/tenant: Adds a tenant, and with it a first admin, a first API key, or both. The secret of the key is shown this once. Needs `tenants:write`: keys of the operator with that scope."""
        return self.call("POST", "/operator/tenant", None, body=body, headers=headers, answer=answer)

    def get_tenant(self, tenant_id: str, *, headers: Headers = None, answer: Answer = None) -> types.ManagedTenantDetail:
        """GET /operator/tenant/{tenant_id}: One tenant with its limits and what it has of them. Needs `tenants:read`: keys of the operator with that scope."""
        return self.call("GET", "/operator/tenant/" + quote(tenant_id, safe=""), None, headers=headers, answer=answer)

    def patch_tenant(self, tenant_id: str, body: types.TenantUpdate, *, headers: Headers = None, answer: Answer = None) -> types.ManagedTenantDetail:
        """PATCH /operator/tenant/{tenant_id}: Changes the fields that are sent, in every process within a second. Suspending a tenant loses nothing: its users, keys and streams are refused with 403, collection and deliveries pause, and go on later. Needs `tenants:write`: keys of the operator with that scope."""
        return self.call("PATCH", "/operator/tenant/" + quote(tenant_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_tenant(self, tenant_id: str, *, headers: Headers = None, answer: Answer = None) -> types.TenantErasure:
        """DELETE /operator/tenant/{tenant_id}: Erases a tenant with all it has, for good and in the background: it is refused from now on, and unknown when that is done. The answer says what is kept. Needs `tenants:write`: keys of the operator with that scope."""
        return self.call("DELETE", "/operator/tenant/" + quote(tenant_id, safe=""), None, headers=headers, answer=answer)

    def list_tenant_usage(self, tenant_id: str, *, start_date: str, end_date: str, headers: Headers = None, answer: Answer = None) -> List[types.Usage]:
        """GET /operator/tenant/{tenant_id}/usage: What a tenant used on each day in UTC, oldest first. Days without any use are absent. It is kept for 400 days, also of a tenant that was erased. A process that is killed loses what it has counted in the last ten seconds. Needs `usage:read`: keys of the operator with that scope."""
        return self.call("GET", "/operator/tenant/" + quote(tenant_id, safe="") + "/usage", {"start_date": start_date, "end_date": end_date}, headers=headers, answer=answer)

    def list_usage(self, *, start_date: str, end_date: str, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Usage]:
        """GET /operator/usage: What all tenants used on each day in UTC, by tenant and day. Needs `usage:read`: keys of the operator with that scope."""
        return self.list("/operator/usage", {"start_date": start_date, "end_date": end_date, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_newest_positions(self, *, connection_id: Optional[Sequence[str]] = None, tag: Optional[Sequence[str]] = None, device_id: Optional[Sequence[str]] = None, bbox: Optional[str] = None, state: Optional[Sequence[types.DeviceState]] = None, updated_since: Optional[Time] = None, headers: Headers = None, answer: Answer = None) -> List[types.NewestPosition]:
        """GET /position: The newest position of every readable device, and what it does: driving, idling, stopped or silent, since when. As JSON, as GeoJSON, or with format=columns as one list for each field, which is small and quick to read for maps. A stream that starts after x-event-sequence misses nothing that is newer. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.call("GET", "/position", {"connection_id": connection_id, "tag": tag, "device_id": device_id, "bbox": bbox, "state": state, "updated_since": updated_since}, headers=headers, answer=answer)

    def list_providers(self, *, headers: Headers = None, answer: Answer = None) -> List[types.Provider]:
        """GET /provider: Every supported provider: its credential fields, what it can report, how often it is asked. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/provider", None, headers=headers, answer=answer)

    def get_invitation(self, link_token: str, *, headers: Headers = None, answer: Answer = None) -> types.InvitationView:
        """GET /public/link/{link_token}: For whom a fleet is to connect, what is read, and from which providers with which credentials."""
        return self.call("GET", "/public/link/" + quote(link_token, safe=""), None, headers=headers, answer=answer)

    def post_invitation(self, link_token: str, body: types.LinkInput, *, headers: Headers = None, answer: Answer = None) -> types.LinkResult:
        """POST /public/link/{link_token}: Tries the credentials, or what the code of a consent gives, and, where they work, connects the fleet, which uses the link up."""
        return self.call("POST", "/public/link/" + quote(link_token, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_invitation(self, link_token: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /public/link/{link_token}: Ends what was connected by the link, however much later: the collection stops, and the credentials are forgotten."""
        return self.call("DELETE", "/public/link/" + quote(link_token, safe=""), None, headers=headers, answer=answer)

    def post_invitation_consent(self, link_token: str, *, headers: Headers = None, answer: Answer = None) -> types.LinkConsent:
        """POST /public/link/{link_token}/consent: Where the fleet agrees at its provider, of an invitation with consent. The provider then sends the browser to the redirect URI of the tenant's application with a code, by which the invitation is accepted."""
        return self.call("POST", "/public/link/" + quote(link_token, safe="") + "/consent", None, headers=headers, answer=answer)

    def post_invitation_test(self, link_token: str, body: types.LinkInput, *, headers: Headers = None, answer: Answer = None) -> types.ConnectionTrial:
        """POST /public/link/{link_token}/test: Asks the provider as POST /connection/test does. Nothing is stored."""
        return self.call("POST", "/public/link/" + quote(link_token, safe="") + "/test", None, body=body, headers=headers, answer=answer)

    def get_shared_journey(self, share_token: str, *, headers: Headers = None, answer: Answer = None) -> types.SharedJourney:
        """GET /public/share/{share_token}: What the page of a shared milestone shows. It counts as opening the link."""
        return self.call("GET", "/public/share/" + quote(share_token, safe=""), None, headers=headers, answer=answer)

    def list_newest_readings(self, *, device_id: Optional[Sequence[str]] = None, connection_id: Optional[Sequence[str]] = None, tag: Optional[Sequence[str]] = None, kind: Optional[Sequence[types.ReadingKind]] = None, sort: Optional[Literal['device_id', 'updated_at']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.NewestReading]:
        """GET /reading: What the instruments of the caller's devices said last: the newest reading of each kind and channel, by device, kind and channel. Of several sources it is the best one that is not silent: the vehicle, a sensor, the provider, the tracker. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. The readings of a device are listed together when one of them has changed. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`."""
        return self.list("/reading", {"device_id": device_id, "connection_id": connection_id, "tag": tag, "kind": kind, "sort": sort, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_refresh(self, body: types.RefreshToken, *, headers: Headers = None, answer: Answer = None) -> types.RefreshResult:
        """POST /refresh: Gives a new access token for a refresh token."""
        return self.call("POST", "/refresh", None, body=body, headers=headers, answer=answer)

    def list_distance_by_region(self, *, from_: Time, to: Time, device_id: Optional[str] = None, connection_id: Optional[str] = None, tag: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.DeviceRegions]:
        """GET /report/distance-by-region: How far each vehicle drove in each state, province or country: the distances of the valid trips that start in [from, to), parted as their positions lie. Borders are those of Natural Earth, 1:10,000,000, made simpler. Of shared vehicles it takes the scope positions. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`."""
        return self.list("/report/distance-by-region", {"device_id": device_id, "connection_id": connection_id, "tag": tag, "from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_time_use(self, *, month: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> types.TimeUse:
        """GET /report/time-use: Driving, idling and auxiliary time by registration number and vehicle, from the valid trips that start in a month of the tenant's time zone. Trips that are not valid are listed with their reason. As JSON, CSV or a page that can be printed. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/report/time-use", {"month": month}, headers=headers, answer=answer)

    def list_safety_events(self, *, device_id: Optional[Sequence[str]] = None, connection_id: Optional[Sequence[str]] = None, tag: Optional[Sequence[str]] = None, driver_id: Optional[Sequence[str]] = None, type: Optional[Sequence[types.SafetyType]] = None, from_: Optional[Time] = None, to: Optional[Time] = None, sort: Optional[Literal['id', 'updated_at']] = None, order: Optional[Literal['asc', 'desc']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.SafetyEvent]:
        """GET /safety-event: Harsh driving, speeding, crashes and what cameras saw, as providers report it, in the order in which it became known. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, how safely it was driven needs the scope `safety`. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.list("/safety-event", {"device_id": device_id, "connection_id": connection_id, "tag": tag, "driver_id": driver_id, "type": type, "from": from_, "to": to, "sort": sort, "order": order, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def get_safety_event(self, safety_event_id: str, *, headers: Headers = None, answer: Answer = None) -> types.SafetyEvent:
        """GET /safety-event/{safety_event_id}: One safety event. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `safety`. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.call("GET", "/safety-event/" + quote(safety_event_id, safe=""), None, headers=headers, answer=answer)

    def search(self, *, q: str, limit: Optional[int] = None, headers: Headers = None, answer: Answer = None) -> List[types.Finding]:
        """GET /search: Finds devices whose plate, name or provider's id begins with a text, connections whose business name contains it, milestones whose reference begins with it, drivers whose name, employee number or provider's id contains it, faults whose code begins with it, and devices, connections, trips, milestones, drivers, faults and safety events by their id. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`."""
        return self.call("GET", "/search", {"q": q, "limit": limit}, headers=headers, answer=answer)

    def get_session(self, *, headers: Headers = None, answer: Answer = None) -> types.SessionView:
        """GET /session: The caller's user, tenant, role, permissions and preferences, and the version of the service. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/session", None, headers=headers, answer=answer)

    def post_session(self, body: types.UsernamePassword, *, headers: Headers = None, answer: Answer = None) -> types.SessionView:
        """POST /session: Checks a name and a password as POST /token does, and sets a cookie that programs in the page cannot read. It is accepted wherever a token is, lasts for 12 hours without a request, and for 30 days at the most. A token goes before it. A request with the cookie that comes from a page of another origin is refused with 403."""
        return self.call("POST", "/session", None, body=body, headers=headers, answer=answer)

    def delete_session(self, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /session: Ends the session of the cookie or of the token, and takes the cookie back. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("DELETE", "/session", None, headers=headers, answer=answer)

    def post_passkey_sign_in(self, body: types.PasskeyProof, *, headers: Headers = None, answer: Answer = None) -> types.SessionView:
        """POST /session/passkey: Takes what a passkey has signed, once, and sets the cookie of a session as POST /session does. No password and no other second factor is needed. People who may not sign in with a password may not with a passkey."""
        return self.call("POST", "/session/passkey", None, body=body, headers=headers, answer=answer)

    def post_passkey_sign_in_start(self, *, headers: Headers = None, answer: Answer = None) -> types.PasskeyChallenge:
        """POST /session/passkey/start: Gives what a passkey is to sign, for five minutes: to be sent to POST /session/passkey, or beside a password to POST /session or POST /token."""
        return self.call("POST", "/session/passkey/start", None, headers=headers, answer=answer)

    def post_sign_in(self, body: types.SignInAnswer, *, headers: Headers = None, answer: Answer = None) -> types.SignedInView:
        """POST /session/sso: Takes what the provider sent the browser back with, once, and sets the cookie of a session as POST /session does. People who may not come in are refused with 403, without a reason: the tenant's audit has it."""
        return self.call("POST", "/session/sso", None, body=body, headers=headers, answer=answer)

    def delete_sign_in(self, *, headers: Headers = None, answer: Answer = None) -> types.SignOut:
        """DELETE /session/sso: Ends the session as DELETE /session does, and says where it ends at the provider, where the tenant wants that. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("DELETE", "/session/sso", None, headers=headers, answer=answer)

    def post_sign_in_start(self, body: types.SignInInput, *, headers: Headers = None, answer: Answer = None) -> types.SignInStart:
        """POST /session/sso/start: Says where a person signs in, and sets a cookie by which its browser is known when it comes back, within ten minutes."""
        return self.call("POST", "/session/sso/start", None, body=body, headers=headers, answer=answer)

    def list_all_shares(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Share]:
        """GET /share: What the tenant shares, and what is offered to it or shared with it. Needs `admin`: admins, and keys with that scope."""
        return self.list("/share", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_share_code(self, *, headers: Headers = None, answer: Answer = None) -> types.ShareCode:
        """POST /share-code: Makes a code that stands for the tenant in one offer, within seven days. Needs `admin`: admins, and keys with that scope."""
        return self.call("POST", "/share-code", None, headers=headers, answer=answer)

    def delete_share_by_id(self, share_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /share/{share_id}: Ends a share, or declines an offer, from either side. Access ends at once. Needs `admin`: admins, and keys with that scope."""
        return self.call("DELETE", "/share/" + quote(share_id, safe=""), None, headers=headers, answer=answer)

    def post_share_acceptance(self, share_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Share:
        """POST /share/{share_id}/accept: Accepts an offer. From then on the tenant reads what is shared, and its events are in the tenant's feed. Needs `admin`: admins, and keys with that scope."""
        return self.call("POST", "/share/" + quote(share_id, safe="") + "/accept", None, headers=headers, answer=answer)

    def list_stops(self, *, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, engine_on: Optional[bool] = None, open: Optional[bool] = None, sort: Optional[Literal['start_time', 'updated_at']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Stop]:
        """GET /stop: What happened between trips, by start time: where a device stood, and how long its engine or an auxiliary ran. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`."""
        return self.list("/stop", {"device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "engine_on": engine_on, "open": open, "sort": sort, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_token(self, body: types.UsernamePassword, *, headers: Headers = None, answer: Answer = None) -> types.AuthenticationResult:
        """POST /token: Gives an access token and a refresh token for a username, or an e-mail address, and a password."""
        return self.call("POST", "/token", None, body=body, headers=headers, answer=answer)

    def list_trips(self, *, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, is_valid: Optional[bool] = None, tag: Optional[str] = None, driver_id: Optional[str] = None, order: Optional[Literal['asc', 'desc']] = None, include: Optional[Literal['driver', 'readings']] = None, sort: Optional[Literal['start_time', 'updated_at']] = None, updated_after: Optional[Time] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.TripView]:
        """GET /trip: Trips by start time; with order=desc newest first, with include=driver each with its driver, and with include=readings and a device_id with what the vehicle's counters show. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`."""
        return self.list("/trip", {"device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "is_valid": is_valid, "tag": tag, "driver_id": driver_id, "order": order, "include": include, "sort": sort, "updated_after": updated_after, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def list_recomputes(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.Recompute]:
        """GET /trip-recompute: The tenant's jobs that derive trips again, oldest first. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/trip-recompute", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_recompute(self, body: types.RecomputeInput, *, headers: Headers = None, answer: Answer = None) -> types.Recompute:
        """POST /trip-recompute: Derives the trips of a window again from the stored positions, by the settings that hold now, in the background. A trip that stays the same trip keeps its id. Trips of connections whose provider reports them stay, and so do trips of which no position is kept. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/trip-recompute", None, body=body, headers=headers, answer=answer)

    def get_recompute(self, recompute_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Recompute:
        """GET /trip-recompute/{recompute_id}: How far a job is. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/trip-recompute/" + quote(recompute_id, safe=""), None, headers=headers, answer=answer)

    def delete_recompute(self, recompute_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /trip-recompute/{recompute_id}: Ends a job. What it has done stays. One that is over stays as it is. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/trip-recompute/" + quote(recompute_id, safe=""), None, headers=headers, answer=answer)

    def get_trip_totals(self, *, device_id: Optional[str] = None, connection_id: Optional[str] = None, from_: Optional[Time] = None, to: Optional[Time] = None, is_valid: Optional[bool] = None, tag: Optional[str] = None, driver_id: Optional[str] = None, order: Optional[Literal['asc', 'desc']] = None, headers: Headers = None, answer: Answer = None) -> types.TripSums:
        """GET /trip/totals: How many trips a filter of the list has, and what the valid ones of them come to. A sum is null where none of them says it. order changes nothing. Whole days in UTC cost the same whatever the number of trips. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/trip/totals", {"device_id": device_id, "connection_id": connection_id, "from": from_, "to": to, "is_valid": is_valid, "tag": tag, "driver_id": driver_id, "order": order}, headers=headers, answer=answer)

    def get_trip(self, trip_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Trip:
        """GET /trip/{trip_id}: One trip. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/trip/" + quote(trip_id, safe=""), None, headers=headers, answer=answer)

    def patch_trip(self, trip_id: str, body: types.TripUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Trip:
        """PATCH /trip/{trip_id}: Says whether a trip is valid, and why. That goes before the rules, counts in the summaries, and stays when the trip is derived again; is_valid null leaves it to the rules again. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/trip/" + quote(trip_id, safe=""), None, body=body, headers=headers, answer=answer)

    def explain_trip(self, trip_id: str, *, headers: Headers = None, answer: Answer = None) -> types.TripExplanation:
        """GET /trip/{trip_id}/explanation: Why a trip began and ended as it did, and which part of it no position shows. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`."""
        return self.call("GET", "/trip/" + quote(trip_id, safe="") + "/explanation", None, headers=headers, answer=answer)

    def get_trip_path(self, trip_id: str, *, tolerance: Optional[float] = None, headers: Headers = None, answer: Answer = None) -> types.Track:
        """GET /trip/{trip_id}/path: The way of a trip in one answer. At most 5,000 points, simplified by tolerance; segments say what the device did: driving, idling, auxiliary, stopped, or a hole that nothing is known of. As JSON with one list for each field of the points, GeoJSON or GPX. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`."""
        return self.call("GET", "/trip/" + quote(trip_id, safe="") + "/path", {"tolerance": tolerance}, headers=headers, answer=answer)

    def list_users(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.User]:
        """GET /user: The tenant's users, oldest first. Needs `admin`: admins, and keys with that scope."""
        return self.list("/user", {"limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_user(self, body: types.UserInput, *, headers: Headers = None, answer: Answer = None) -> types.User:
        """POST /user: Adds a user to the tenant. Admins give no one more than they have. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/user", None, body=body, headers=headers, answer=answer)

    def patch_own_user(self, body: types.OwnUpdate, *, headers: Headers = None, answer: Answer = None) -> types.SessionView:
        """PATCH /user/me: Changes the caller's own password, for which the old one is needed, and its preferences, which the service keeps and does not read. A new password ends all other sessions. API keys have neither. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("PATCH", "/user/me", None, body=body, headers=headers, answer=answer)

    def post_passkey(self, body: types.PasskeyInput, *, headers: Headers = None, answer: Answer = None) -> types.PasskeyCreated:
        """POST /user/me/passkey: Takes what the browser has made, without attestation: the device must have verified the person, and keep the passkey by itself. It counts as a second factor at once, and signs in without a password. The first second factor comes with recovery codes, and ends all other sessions. A user has at most ten. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/user/me/passkey", None, body=body, headers=headers, answer=answer)

    def post_passkey_start(self, body: types.FactorInput, *, headers: Headers = None, answer: Answer = None) -> types.PasskeyChallenge:
        """POST /user/me/passkey/start: Gives what a browser makes a passkey with (WebAuthn), for five minutes. The caller's password is needed or, where it has a second factor, that a moment ago. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/user/me/passkey/start", None, body=body, headers=headers, answer=answer)

    def patch_passkey(self, passkey_id: str, body: types.PasskeyUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Passkey:
        """PATCH /user/me/passkey/{passkey_id}: Gives a passkey of the caller another name. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("PATCH", "/user/me/passkey/" + quote(passkey_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_passkey(self, passkey_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /user/me/passkey/{passkey_id}: It is refused from then on. With the last one, where there is no authenticator app, the recovery codes go too. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/user/me/passkey/" + quote(passkey_id, safe=""), None, headers=headers, answer=answer)

    def get_second_factor(self, *, headers: Headers = None, answer: Answer = None) -> types.SecondFactor:
        """GET /user/me/second-factor: Whether the caller has one, and whether the tenant requires it. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("GET", "/user/me/second-factor", None, headers=headers, answer=answer)

    def post_second_factor(self, body: types.FactorInput, *, headers: Headers = None, answer: Answer = None) -> types.FactorSecret:
        """POST /user/me/second-factor: Makes the secret of an authenticator app (RFC 6238) and shows it this once. It counts once a code of it was confirmed. The caller's password is needed or, where it has passkeys, one of these a moment ago. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/user/me/second-factor", None, body=body, headers=headers, answer=answer)

    def delete_second_factor(self, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /user/me/second-factor: Takes all of it away: the authenticator app, the passkeys and the recovery codes. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/user/me/second-factor", None, headers=headers, answer=answer)

    def post_second_factor_confirm(self, body: types.FactorCode, *, headers: Headers = None, answer: Answer = None) -> types.RecoveryCodes:
        """POST /user/me/second-factor/confirm: Takes a code of the authenticator app. From then on each login needs one. Answers ten recovery codes, which are shown this once. All other sessions end. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/user/me/second-factor/confirm", None, body=body, headers=headers, answer=answer)

    def post_passkey_proof_start(self, *, headers: Headers = None, answer: Answer = None) -> types.PasskeyChallenge:
        """POST /user/me/second-factor/passkey: Gives what a passkey of the caller is to sign, for five minutes and in this session, to be sent to POST /user/me/second-factor/verify. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/user/me/second-factor/passkey", None, headers=headers, answer=answer)

    def post_recovery_codes(self, *, headers: Headers = None, answer: Answer = None) -> types.RecoveryCodes:
        """POST /user/me/second-factor/recovery-code: Ten new ones, in place of those before. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/user/me/second-factor/recovery-code", None, headers=headers, answer=answer)

    def post_second_factor_verify(self, body: types.FactorProof, *, headers: Headers = None, answer: Answer = None) -> types.FactorConfirmed:
        """POST /user/me/second-factor/verify: Takes a code, or what a passkey has signed, for the session of the caller. What asks for the second factor again is then answered for ten minutes. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("POST", "/user/me/second-factor/verify", None, body=body, headers=headers, answer=answer)

    def list_own_sessions(self, *, headers: Headers = None, answer: Answer = None) -> List[types.UserSession]:
        """GET /user/me/session: Where the caller is signed in, oldest first. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("GET", "/user/me/session", None, headers=headers, answer=answer)

    def delete_own_session(self, session_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /user/me/session/{session_id}: Signs the caller out there: its tokens, or its cookie, are refused in every process within a second. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused."""
        return self.call("DELETE", "/user/me/session/" + quote(session_id, safe=""), None, headers=headers, answer=answer)

    def patch_user(self, user_id: str, body: types.UserUpdate, *, headers: Headers = None, answer: Answer = None) -> types.User:
        """PATCH /user/{user_id}: Changes the fields that are sent. A new password ends the user's sessions; a disabled user is refused at once. The last admin can be neither disabled nor given another role. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("PATCH", "/user/" + quote(user_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_user(self, user_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /user/{user_id}: Removes a user and ends its sessions. The last admin cannot be removed. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/user/" + quote(user_id, safe=""), None, headers=headers, answer=answer)

    def delete_user_second_factor(self, user_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /user/{user_id}/second-factor: Takes it away from a user who has lost it, and ends the user's sessions. Admins reset that of no one who has more rights. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("DELETE", "/user/" + quote(user_id, safe="") + "/second-factor", None, headers=headers, answer=answer)

    def list_webhooks(self, *, include: Optional[Literal['stats']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.WebhookView]:
        """GET /webhook: The tenant's webhooks, oldest first. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/webhook", {"include": include, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_webhook(self, body: types.WebhookInput, *, headers: Headers = None, answer: Answer = None) -> types.WebhookCreated:
        """POST /webhook: Sends events to a URL from now on. The secret that signs them is shown this once. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/webhook", None, body=body, headers=headers, answer=answer)

    def get_webhook(self, webhook_id: str, *, headers: Headers = None, answer: Answer = None) -> types.Webhook:
        """GET /webhook/{webhook_id}: One webhook. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.call("GET", "/webhook/" + quote(webhook_id, safe=""), None, headers=headers, answer=answer)

    def patch_webhook(self, webhook_id: str, body: types.WebhookUpdate, *, headers: Headers = None, answer: Answer = None) -> types.Webhook:
        """PATCH /webhook/{webhook_id}: Changes the fields that are sent. What waits for a webhook that is switched off is skipped, and can be replayed. Needs `write`: members, admins, and keys with that scope."""
        return self.call("PATCH", "/webhook/" + quote(webhook_id, safe=""), None, body=body, headers=headers, answer=answer)

    def delete_webhook(self, webhook_id: str, *, headers: Headers = None, answer: Answer = None) -> None:
        """DELETE /webhook/{webhook_id}: Forgets the webhook, its log and what waits for it. Needs `write`: members, admins, and keys with that scope."""
        return self.call("DELETE", "/webhook/" + quote(webhook_id, safe=""), None, headers=headers, answer=answer)

    def list_deliveries(self, webhook_id: str, *, state: Optional[types.DeliveryState] = None, limit: Optional[int] = None, cursor: Optional[str] = None, headers: Headers = None, answer: Answer = None) -> Iterator[types.DeliveryAttempt]:
        """GET /webhook/{webhook_id}/delivery: The log of attempts, newest event first, and deliveries that none was made of. It reaches back 30 days. Needs `read`: every user, and every key but those with the scope push alone."""
        return self.list("/webhook/" + quote(webhook_id, safe="") + "/delivery", {"state": state, "limit": limit, "cursor": cursor}, headers=headers, answer=answer)

    def post_replay(self, webhook_id: str, body: types.ReplayInput, *, headers: Headers = None, answer: Answer = None) -> types.ReplayResult:
        """POST /webhook/{webhook_id}/replay: Sends one delivery again by its event_id or, with since, all of events since then that failed or were skipped. They keep their ids. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/webhook/" + quote(webhook_id, safe="") + "/replay", None, body=body, headers=headers, answer=answer)

    def post_webhook_rotation(self, webhook_id: str, *, headers: Headers = None, answer: Answer = None) -> types.WebhookSecret:
        """POST /webhook/{webhook_id}/rotate-secret: Makes a new secret. For 24 hours deliveries are signed with the one before too. Needs `write` and `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes."""
        return self.call("POST", "/webhook/" + quote(webhook_id, safe="") + "/rotate-secret", None, headers=headers, answer=answer)

    def post_webhook_test(self, webhook_id: str, *, wait: Optional[int] = None, headers: Headers = None, answer: Answer = None) -> types.DeliveryAttempt:
        """POST /webhook/{webhook_id}/test: Sends a webhook.test, once, whether the webhook is enabled or not, and waits for what comes of it, which is in the log too. Where there is no answer in that time the state is pending. Needs `write`: members, admins, and keys with that scope."""
        return self.call("POST", "/webhook/" + quote(webhook_id, safe="") + "/test", {"wait": wait}, headers=headers, answer=answer)
