"""The records of the service, as dicts whose keys and values type checkers know.

Written from the OpenAPI document by: make generate
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class APIKey(TypedDict):
    """A key for programs, without its secret."""

    created_at: str  # When it was made.
    expires_at: Optional[str]  # When it ends; null is never.
    id: str  # Id of the record.
    last_used_at: Optional[str]  # Written every ten minutes at the most.
    maker_id: Optional[str]  # The user who made it, or whose key did; null where a key of the tenant did.
    maker_name: str  # The name of the user or the key that made it, at that time.
    name: str  # What it is called.
    networks: List[str]  # Where it may be used from; empty is everywhere.
    owner: KeyOwner  # Whom it ends with: its maker, or the tenant alone.
    role: Optional[Role]  # What the user or key may do.
    scopes: List[Permission]  # What the key may do: those of its role, or those that it was given.


class APIKeyCreated(TypedDict):
    """A new key with its secret, which is shown this once."""

    created_at: str  # When it was made.
    expires_at: Optional[str]  # When it ends; null is never.
    id: str  # Id of the record.
    key: str  # The secret, to be sent as a bearer token. It is shown this once.
    last_used_at: Optional[str]  # Written every ten minutes at the most.
    maker_id: Optional[str]  # The user who made it, or whose key did; null where a key of the tenant did.
    maker_name: str  # The name of the user or the key that made it, at that time.
    name: str  # What it is called.
    networks: List[str]  # Where it may be used from; empty is everywhere.
    owner: KeyOwner  # Whom it ends with: its maker, or the tenant alone.
    role: Optional[Role]  # What the user or key may do.
    scopes: List[Permission]  # What the key may do: those of its role, or those that it was given.


class _APIKeyInput(TypedDict):
    """A key to be made."""

    name: str  # What it is called.


class APIKeyInput(_APIKeyInput, total=False):
    """A key to be made."""

    expires_at: Optional[str]  # When it ends; null is never.
    networks: List[str]  # Networks such as 192.0.2.0/24 or 2001:db8::/32, or single addresses, that it may be used from; everywhere, where they are left out.
    owner: KeyOwner  # user, as without it: the key ends once its maker is disabled, deleted or may no longer do what the key may. tenant: it is for a service and outlives its maker.
    role: Optional[Role]  # What the user or key may do.
    scopes: List[Permission]  # Instead of a role. Every key may read, but one with the scope push alone, which can do nothing but send records.


class AccountLimit(TypedDict):
    """How much a tenant may have of something, and how much it has."""

    limit: int  # The most that the tenant may have; past it the answer is 403. Of requests_per_minute, for each process: past it the answer is 429, and 0 is no limit.
    name: Quota  # What is bounded.
    used: int  # How much it has now; of streams, on the process that answers; of requests_per_minute it is not counted.


class AccountSettings(TypedDict):
    """What a tenant has set for all of its devices, and what holds."""

    effective_trip_rules: EffectiveTripRules  # What holds for a device whose connection and which itself have set nothing.
    time_zone: Optional[str]  # The zone of the tenant's days, as an IANA name; null where it is UTC.
    trip_rules: TripRules  # What the tenant has set; of the others the default holds.


class AccountSettingsUpdate(TypedDict, total=False):
    """A change of settings: only what is sent changes."""

    time_zone: Optional[str]  # IANA name such as Europe/Berlin; null is UTC. The days are summed up again in the background.
    trip_rules: Optional[TripRulesUpdate]  # Null takes all rules back.


class AccountStorage(TypedDict):
    """What a tenant's history takes in the database, and for how long it is kept."""

    events: EventStorage  # What the feed takes.
    generated_at: str  # When the numbers were read.
    growth_bytes_per_day: Optional[int]  # By how much the history grows in a day, once its positions are packed; an average of the last seven packed days. Null before there is one.
    positions: PositionStorage  # What positions take.
    retention: Retention  # For how long things are kept. The operator sets it.


class AccountSummary(TypedDict):
    """The tenant's data in numbers."""

    connections: ConnectionCounts  # Connections in numbers.
    devices: DeviceCounts  # Devices in numbers.
    generated_at: str  # When the numbers were read.
    milestones: Dict[str, int]  # Number of milestones by status.
    tenant_id: str  # Id of the tenant.
    tenant_name: str  # Name of the tenant.
    trips: TripTotals  # Trips in numbers.
    webhooks: WebhookCounts  # Webhooks in numbers.


# What happened to a tenant's fleet over some days.
_ActivitySummary = TypedDict("_ActivitySummary", {
    "days": "int",  # Length of the window in days.
    "events_by_type": "List[EventCount]",  # Number of events by type, most first.
    "from": "str",  # Beginning of the window.
    "limit": "int",  # How many rows each list has at the most.
    "to": "str",  # End of the window.
    "totals": "ActivityTotals",  # Sums over the window.
    "trips_by_connection": "List[ConnectionTrip]",  # The trips of each connection, most first.
    "trips_by_day": "List[DayTrips]",  # The trips of each day, oldest first.
})


class ActivitySummary(_ActivitySummary, total=False):
    """What happened to a tenant's fleet over some days."""

    stops: Optional[StopActivity]  # The stops that started in the window, where they are asked for.


class ActivityTotals(TypedDict):
    """Sums over the whole window."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
    distance_metres: Optional[float]  # Metres, over the valid trips; null where there are some and none of them says it.
    driving_seconds: Optional[float]  # Seconds driven, over the valid trips; null where there are some and none of them says it.
    events: int  # Number of events.
    idling_seconds: Optional[float]  # Seconds idled, over the valid trips; null where there are some and none of them says it.
    trips: int  # Number of trips.
    valid_trips: int  # Number of trips that are valid.


# What kind of caller it was.
ActorType = Literal["user", "api_key", "operator", "public"]


class AdminInput(TypedDict):
    """The first user of a tenant."""

    email: str  # E-mail address of the user.
    password: str  # 8 to 1024 bytes.
    username: str  # Name to sign in with.


class ArrivalRange(TypedDict):
    """When a vehicle arrives, as a range."""

    earliest: str  # One arrival in ten is before this time.
    expected: str  # The middle of the range.
    latest: str  # One arrival in ten is after this time.


# How it is known who drove.
AssignmentMethod = Literal["card", "tachograph", "app", "hos", "camera", "static", "manual", "derived", "unknown"]


class Audit(TypedDict):
    """Who did what to which record, from where, and with what outcome."""

    action: str  # What was done: the path of the operation without ids, and create, update, delete or read.
    actor_id: Optional[str]  # The user, the key or the operator's key; null for the operator at the command line.
    actor_name: str  # Its name at that time.
    actor_type: ActorType  # What kind of caller it was.
    address: Optional[str]  # Where the request came from; null for the operator.
    count: int  # How often. What is refused again within the same hour, of one kind, to one caller and from one address is one entry, without a record_id where the records differ.
    id: str  # Id of the record.
    last_at: Optional[str]  # When it was refused last; null where it happened once.
    outcome: AuditOutcome  # Whether it was done, refused or failed.
    record_id: Optional[str]  # Id of the record; null where it is about none.
    record_type: Optional[str]  # What it was done to, such as connection.
    request_id: Optional[str]  # x-request-id of the answer.
    time: str  # When it was.


# What came of it.
AuditOutcome = Literal["done", "refused"]


class AuthenticationResult(TypedDict):
    """Tokens for a login."""

    access_token: str  # The JWT to send as bearer.
    expires_in: int  # Seconds until the access token expires.
    refresh_token: str  # The JWT that gives new access tokens.
    sub: str  # To be sent with the refresh token to POST /refresh.
    token_type: str  # Always bearer.


# How far a window of the past is filled in.
BackfillState = TypedDict("BackfillState", {
    "done_percent": "float",  # How much is done, from 0 to 100.
    "from": "str",  # Beginning of the window.
    "remaining_to": "str",  # What is before this time is still to be read.
    "started_at": "str",  # When it was asked for: with what is done since, how fast it goes.
    "to": "str",  # End of the window.
})


class Brand(TypedDict):
    """How a tenant shows itself to people without a login."""

    colour: Optional[str]  # Such as #1a5fb4; null where it is not set.
    logo: Optional[str]  # A PNG or JPEG as a data URL; null where it is not set.
    name: Optional[str]  # Instead of the tenant's name; null where it is not set.


class BrandUpdate(TypedDict, total=False):
    """A change of the brand: only what is sent changes."""

    colour: Optional[str]  # As #rrggbb; null takes it back.
    logo: Optional[str]  # A PNG or JPEG of at most 50 KiB and 1024 × 1024 pixels as a data URL, data:image/png;base64,…; null takes it back.
    name: Optional[str]  # As customers know the company; null takes it back.


class ChosenMetres(TypedDict):
    """A distance that holds, and where it was set."""

    source: SettingSource  # Where the value was set: on the device, the connection or the account, or the service's own.
    value: float  # The value.


class ChosenSeconds(TypedDict):
    """A time span that holds, and where it was set."""

    source: SettingSource  # Where the value was set: on the device, the connection or the account, or the service's own.
    value: int  # The value.


class ChosenSpeed(TypedDict):
    """A speed that holds, and who has chosen it."""

    source: SettingSource  # Where the value was set: on the device, the connection or the account, or the service's own.
    value: float  # The value.


class ChosenZone(TypedDict):
    """A time zone that holds, and where it was set."""

    source: SettingSource  # Where the value was set: on the device, the connection or the account, or the service's own.
    value: str  # The value.


# How many answers were of a class of statuses.
CodeClass = Literal["2xx", "3xx", "4xx", "5xx", "none"]


class _Configuration(TypedDict):
    """What the service decided, or was set, for a connection."""

    base_url: Optional[str]  # Address of the provider's API, where it is not the usual one.
    health: ConnectionState  # How the connection is doing.
    poll_interval_seconds: int  # Seconds between two polls.
    trips: TripSource  # Whether trips are the provider's or derived from positions.


class Configuration(_Configuration, total=False):
    """What the service decided, or was set, for a connection."""

    forms: Dict[str, str]  # Forms of answers that the provider has given.
    purge: PurgeProgress  # How far erasing its data is; absent where no one has asked for that.
    safety_types: Dict[str, str]  # What the provider's own words for safety events mean; absent where no one has set any.
    time_zone: Optional[str]  # IANA name of the time zone of its days.
    trip_rules: Optional[TripRules]  # The rules by which trips are derived.
    units: Units  # What a person has found the provider's numbers to be in.


class ConfigurationUpdate(TypedDict, total=False):
    """What a tenant may set of a connection's configuration."""

    safety_types: Optional[Dict[str, str]]  # What the provider's own words for safety events mean, as a whole: the type of a native_type. It holds for events that come from then on. Null takes all back.
    time_zone: Optional[str]  # IANA name of the zone of its devices' days; null leaves it to the tenant.
    trip_rules: Optional[TripRulesUpdate]  # Null takes all rules back.
    trips: TripSource  # Trips as the provider reports them, or derived from positions.
    units: Optional[Units]  # What the provider's numbers are in, as a whole. Null leaves them to the adapter.


class Connection(TypedDict):
    """A tenant's link to one telematics provider."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    email: Optional[str]  # E-mail address of the business.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    tenant_id: str  # Id of the tenant that owns it.


class ConnectionCounts(TypedDict):
    """Connections in numbers."""

    active: int  # Number of connections that are active.
    by_provider: Dict[str, int]  # Number of connections by provider.
    failing: int  # Number of those that fail.
    total: int  # How many there are.


class ConnectionCredentials(TypedDict):
    """The stored credentials of a connection, for its owner alone."""

    connection_id: str  # Id of the connection.
    credentials: Dict[str, str]  # The provider's credentials by the names of its fields.


class ConnectionDevices(TypedDict):
    """Devices of a connection by the provider's ids."""

    connection_id: str  # Id of the connection.
    system_device_ids: List[str]  # The provider's ids of devices.


class ConnectionDevicesInput(TypedDict):
    """Devices of a connection by the provider's ids."""

    connection_id: str  # Id of the connection.
    system_device_ids: List[str]  # The provider's ids of devices.


class _ConnectionDiagnosis(TypedDict):
    """How a connection is doing, and how it did over the last day."""

    acts: Optional[Party]  # Who must act: fleet (the tenant or its fleet), vendor, operator, or drover, which goes on by itself. Null where no one must.
    connection_id: str  # Id of the connection.
    inbound: Optional[InboundState]  # How the provider's own notices go. Null where it has no address to call.
    jobs: List[JobHealth]  # How each job goes.
    last_success_at: Optional[str]  # When it last went well.
    message: Optional[str]  # What is wrong, in words; null where nothing is.
    next_run_at: Optional[str]  # When it is read next; null where it is not.
    quality: Optional[ConnectionQuality]  # What the data say of themselves. Null before the first position, and for those whom the connection is shared with.
    runs: List[JobHour]  # How the runs went by the hour, over the last day.
    state: ConnectionState  # How the collection goes.
    streams: List[JobHealth]  # The same as jobs, under its former name. Read jobs.


class ConnectionDiagnosis(_ConnectionDiagnosis, total=False):
    """How a connection is doing, and how it did over the last day."""

    push: Optional[Push]  # Whether the provider's push is open, in any process. Absent where the provider has none, and for those whom the connection is shared with.


class ConnectionDoubt(TypedDict):
    """A connection whose data is doubtful, or is trusted again."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    checks: List[str]  # Names of the checks that are doubtful.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    email: Optional[str]  # E-mail address of the business.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    reason: Optional[str]  # Why, in words.
    tenant_id: str  # Id of the tenant that owns it.


class ConnectionFailure(TypedDict):
    """A connection that does not work, or does again."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    email: Optional[str]  # E-mail address of the business.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    reason: Optional[str]  # Why, in words.
    tenant_id: str  # Id of the tenant that owns it.


class ConnectionFile(TypedDict):
    """The file that describes the provider of a connection, as its operator has placed it."""

    connection_id: str  # Id of the connection.
    parts: List[FilePart]  # The calls of the file that runs made, each as its last run did.
    records: List[FileRecords]  # What the last run of each kind gave.
    refused: Optional[FileRefusal]  # A later version that failed when it was tried with this connection, which goes on with the one that it has. Null where there is none.
    since: Optional[str]  # When that version was found.
    text: Optional[str]  # The file, as the operator placed it. It holds no credentials.
    version: Optional[str]  # The version that the connection is read with: a hash of the text. Null where no file describes the provider, or the connection was not read yet.


class ConnectionHealth(TypedDict):
    """How the collection of a connection goes."""

    acts: Optional[Party]  # Who must act: fleet (the tenant or its fleet), vendor, operator, or drover, which goes on by itself. Null where no one must.
    connection_id: str  # Id of the connection.
    jobs: List[JobHealth]  # How each job goes.
    last_success_at: Optional[str]  # When it last went well.
    message: Optional[str]  # What is wrong, in words; null where nothing is.
    next_run_at: Optional[str]  # When it is read next; null where it is not.
    state: ConnectionState  # How the collection goes.
    streams: List[JobHealth]  # The same as jobs, under its former name. Read jobs.


class _ConnectionInput(TypedDict):
    """A connection to be made."""

    business_name: str  # Name of the business that the vehicles work for.
    credentials: Dict[str, str]  # The provider's credentials by the names of its fields.
    integration_name: ProviderEnum  # The provider.


class ConnectionInput(_ConnectionInput, total=False):
    """A connection to be made."""

    abn: Optional[str]  # Registration number of the business.
    active: Optional[bool]  # Whether the provider is asked; true where it is left out.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: Optional[str]  # Data from this time on is collected.
    email: Optional[str]  # E-mail address of the business.
    tags: List[str]  # Labels, in lower case; ten that differ at most.
    tenant_id: Optional[str]  # Id of the caller's own tenant; it may be left out.


class ConnectionLink(TypedDict):
    """An invitation for a fleet to connect its provider itself."""

    abn: Optional[str]  # Registration number of the business.
    business_name: str  # Name of the business that the vehicles work for.
    collection_start_time: Optional[str]  # Data from this time on is collected.
    connection_id: Optional[str]  # The connection that it asks new credentials for, or that was made by it.
    created_at: str  # When it was made.
    email: Optional[str]  # E-mail address of the business.
    expires_at: str  # When it ends.
    id: str  # Id of the record.
    providers: List[ProviderEnum]  # Those that may be chosen; empty is all.
    state: ConnectionLinkState  # How far the invitation has come.
    tags: List[str]  # Labels, in lower case; ten that differ at most.
    used_at: Optional[str]  # When it was used; null before.
    withdrawn_at: Optional[str]  # When access was withdrawn; null where it was not.


class ConnectionLinkCreated(TypedDict):
    """A new invitation with its address, which is shown this once."""

    abn: Optional[str]  # Registration number of the business.
    business_name: str  # Name of the business that the vehicles work for.
    collection_start_time: Optional[str]  # Data from this time on is collected.
    connection_id: Optional[str]  # The connection that it asks new credentials for, or that was made by it.
    created_at: str  # When it was made.
    email: Optional[str]  # E-mail address of the business.
    expires_at: str  # When it ends.
    id: str  # Id of the record.
    providers: List[ProviderEnum]  # Those that may be chosen; empty is all.
    state: ConnectionLinkState  # How far the invitation has come.
    tags: List[str]  # Labels, in lower case; ten that differ at most.
    url: str  # The address of the page, shown this once: beginning with --public-url, or a path where none is set.
    used_at: Optional[str]  # When it was used; null before.
    withdrawn_at: Optional[str]  # When access was withdrawn; null where it was not.


class ConnectionLinkInput(TypedDict, total=False):
    """An invitation to be made."""

    abn: Optional[str]  # Registration number of the business.
    business_name: Optional[str]  # Needed unless connection_id is given.
    collection_start_time: Optional[str]  # When it is used, where it is left out.
    connection_id: Optional[str]  # Ask for new credentials of this connection.
    email: Optional[str]  # E-mail address of the business.
    expires_at: Optional[str]  # At most 30 days ahead; seven days from now, where it is left out.
    providers: List[ProviderEnum]  # The providers among which to choose.
    tags: List[str]  # Labels, in lower case; ten that differ at most.


# How far an invitation has come.
ConnectionLinkState = Literal["open", "used", "withdrawn", "expired"]


class ConnectionQuality(TypedDict):
    """How good the data of a connection is."""

    checks: List[QualityCheck]  # What was measured.
    coverage: Dict[str, int]  # Percent of the positions that have a field, by its name.
    late: int  # Positions that came after a newer one of their device.
    latency: QualityLatency  # How late positions arrive.
    moving: int  # Positions at the end of a stretch that was driven.
    positions: int  # Number of positions that were looked at.
    reason: Optional[str]  # What is doubtful, in words; null where nothing is.
    repeated: int  # Positions that had been stored before.
    since: Optional[str]  # Since when it is measured; null before the first position.
    verdict: Literal['verified', 'plausible', 'doubtful']  # What is made of it, in one word.


class ConnectionSettings(TypedDict):
    """What was set for one connection, and what holds for its devices."""

    connection_id: str  # Id of the connection.
    effective_trip_rules: EffectiveTripRules  # What holds for a device that has set nothing, and who has set it.
    time_zone: ChosenZone  # The zone of its devices' days: its own, or else the tenant's.
    trip_rules: TripRules  # What is set for the connection; of the others a wider setting holds.
    trips: TripSource  # Whether trips are the provider's or derived from positions.


# How a connection is doing.
ConnectionState = Literal["pending", "healthy", "degraded", "failing", "disabled", "archived", "stalled"]


class ConnectionTag(TypedDict):
    """A label that a tenant attaches to connections."""

    id: str  # Id of the record.
    name: str  # What it is called.


class ConnectionTrial(TypedDict):
    """What a provider answered to credentials that were tried."""

    account: Optional[str]  # The account that the credentials are of: as the provider names it or, where it does not, as the credentials do. Null where neither names it, as with a key alone.
    devices: int  # How many vehicles the credentials show.
    error: Optional[str]  # What the provider refused, in words.
    error_kind: Optional[str]  # credentials, rate_limited, temporary or permanent.
    more: bool  # There are more vehicles than were counted.
    ok: bool  # The provider accepts the credentials.
    position: Optional[TrialPosition]  # The position; null where there is none.
    renewed_credentials: Optional[Dict[str, str]]  # Credentials that the provider replaced by the trial: those that were sent no longer work. Null where it replaced none.


class ConnectionTrialInput(TypedDict):
    """Credentials to be tried; nothing is stored."""

    credentials: Dict[str, str]  # The provider's credentials by the names of its fields.
    integration_name: ProviderEnum  # The provider.


class ConnectionTrip(TypedDict):
    """The trips of one connection in numbers."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
    business_name: str  # Name of the business that the vehicles work for.
    connection_id: str  # Id of the connection.
    distance_metres: Optional[float]  # Metres, over the valid trips; null where there are some and none of them says it.
    driving_seconds: Optional[float]  # Seconds driven, over the valid trips; null where there are some and none of them says it.
    idling_seconds: Optional[float]  # Seconds idled, over the valid trips; null where there are some and none of them says it.
    integration_name: ProviderEnum  # The provider.
    trips: int  # Number of trips.
    valid_trips: int  # Number of trips that are valid.


class ConnectionUpdate(TypedDict, total=False):
    """A change of a connection: only what is sent changes."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: ConfigurationUpdate  # What the service decided, or was set, for the connection.
    credentials: Dict[str, str]  # The provider's credentials by the names of its fields.
    email: Optional[str]  # E-mail address of the business.
    tags: List[str]  # Labels, in lower case; ten that differ at most.


class _ConnectionView(TypedDict):
    """A connection with how it is doing, where that was asked for."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    email: Optional[str]  # E-mail address of the business.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    tenant_id: str  # Id of the tenant that owns it.


class ConnectionView(_ConnectionView, total=False):
    """A connection with how it is doing, where that was asked for."""

    devices: int  # How many devices it has. Only with include=health.
    health: ConnectionHealth  # Only with include=health.


class ConnectionWithTags(TypedDict):
    """A connection with its tags."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    connection_tags: List[ConnectionTag]  # The connection's tags by name.
    email: Optional[str]  # E-mail address of the business.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    tenant_id: str  # Id of the tenant that owns it.


class Coordinate(TypedDict):
    """A point on the earth, WGS 84."""

    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.


class Coverage(TypedDict):
    """What a connection gives of one kind of reading."""

    declared: Offer  # native where the provider has it, not_offered where nothing confirms that it does, needs_scope where it refused this account.
    devices: int  # The connection's devices.
    devices_with: int  # Those with a reading of this kind, or a fault, or a trip that names a driver, or a stated assignment, in the last days.
    field: str  # The kind of reading, such as fuel_level_percent, fault, driver (who drives, of trips), driver_assignment (who drove, as the provider states it), or safety_event and a type, such as safety_event.speeding.
    native_names: List[str]  # What the provider calls it: those that were seen or, where none was, those that are declared.
    need: Optional[str]  # What the account lacks; null where nothing is known to be lacking.
    newest_at: Optional[str]  # When the newest such reading was measured, or the newest fault seen, of all that are known, or the newest such trip of the last days or the newest assignment began; null where there was none.
    share: Optional[float]  # The one by the other, from 0 to 1; null where there is no device.
    sources: List[ReadingSource]  # Who measures or counts, of what was seen.


class CoverageLoss(TypedDict):
    """A connection of which some kinds of readings have stopped coming."""

    abn: Optional[str]  # Registration number of the business.
    active: bool  # Whether the provider is asked.
    business_name: str  # Name of the business that the vehicles work for.
    collection_end_time: Optional[str]  # Data from this time on is not collected; null is no end.
    collection_start_time: str  # Data from this time on is collected.
    configuration: Configuration  # What the service decided, or was set, for the connection.
    email: Optional[str]  # E-mail address of the business.
    fields: List[str]  # The kinds of readings that at least half of the devices had in the week before and none has had for a day, although they report positions.
    id: str  # Id of the record.
    integration_name: ProviderEnum  # The provider.
    tenant_id: str  # Id of the tenant that owns it.


class CredentialField(TypedDict):
    """One of the credentials that a provider wants."""

    default: Optional[str]  # What counts where it is left out; null where nothing does.
    help: str  # Where to find it.
    name: str  # Key under which it is sent.
    options: List[str]  # The values that it may have; empty where it may have any.
    required: bool  # Whether it must be given.
    required_unless: List[str]  # It may be left out where one of these is given.
    secret: bool  # Whether it is shown to no one.
    title: str  # What people call it.


class CurrentPosition(TypedDict):
    """Where a device was at one instant."""

    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    speed: Optional[Speed]  # The speed; null where it is not known.
    timestamp: str  # When it was.


class DayStops(TypedDict):
    """The stops that started on one day, in UTC."""

    auxiliary_seconds: float  # Seconds with an auxiliary running; stops of which it is not known count nothing.
    day: str  # The day in UTC, such as 2024-05-02.
    duration_seconds: float  # How long they lasted together, in seconds.
    engine_on_seconds: float  # Seconds with the engine on; stops of which it is not known count nothing.
    stops: int  # Number of stops.


class DayTrips(TypedDict):
    """The trips that started on one day, in UTC."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
    day: str  # The day in UTC, such as 2024-05-02.
    distance_metres: Optional[float]  # Metres, over the valid trips; null where there are some and none of them says it.
    driving_seconds: Optional[float]  # Seconds driven, over the valid trips; null where there are some and none of them says it.
    idling_seconds: Optional[float]  # Seconds idled, over the valid trips; null where there are some and none of them says it.
    trips: int  # Number of trips.
    valid_trips: int  # Number of trips that are valid.


class DeletedRecord(TypedDict):
    """A row of a list of changes whose record was deleted, or is not shared any more."""

    deleted_at: str  # When it was deleted, or could be read for the last time.
    id: str  # Id of the record.


class DeliveryAttempt(TypedDict):
    """One attempt to deliver an event, or a delivery that none was made of."""

    attempt: int  # Number of the attempt; 0 where none was made.
    created_at: str  # When it was made.
    duration_ms: Optional[int]  # How long the attempt took in milliseconds.
    error: Optional[str]  # What went wrong; null where nothing did.
    event_id: str  # The webhook-id header of the delivery.
    next_attempt_at: Optional[str]  # When it is tried next; null where it is not.
    response: Optional[str]  # The first 4 KiB of the answer; null where there was none, and for a receiver in a network that only the operator has opened.
    sequence: Optional[int]  # Sequence of the event; null for a test.
    state: DeliveryState  # How far the delivery has come by now or, where there was a later attempt, what came of this one.
    status: Optional[int]  # HTTP status of the answer; null where there was none.
    time: Optional[str]  # When the attempt was made; null where none was.
    type: str  # The type of the event that was sent.


class DeliveryDetail(TypedDict):
    """A delivery with the request as it was sent."""

    attempts: int  # The attempts that were made.
    created_at: str  # When it was made.
    duration_ms: Optional[int]  # How long the attempt took in milliseconds.
    error: Optional[str]  # What went wrong; null where nothing did.
    event_id: str  # The webhook-id header of the delivery.
    id: str  # The event and the target, which are the delivery together.
    last_attempt_at: Optional[str]  # When the newest attempt was made; null before the first.
    log: List[DeliveryAttempt]  # Its attempts, the last one first.
    milestone_id: Optional[str]  # Null for a webhook.
    next_attempt_at: Optional[str]  # When it is tried next; null where it is not.
    request: Optional[DeliveryRequest]  # The request of the last attempt; of the next, where none was made; null where its event is no longer kept or may no longer be read.
    sequence: Optional[int]  # Sequence of the event; null for a test.
    state: DeliveryState  # What became of the delivery.
    status: Optional[int]  # HTTP status of the last answer; null where there was none.
    type: str  # The type of the event that was sent.
    webhook_id: Optional[str]  # Null for a milestone's own webhook.


class DeliveryRequest(TypedDict):
    """A request as it was sent."""

    body: Any  # The text that is signed, as JSON.
    headers: Dict[str, str]  # The headers, without secrets.
    method: str  # The method.
    url: str  # Address to which it was sent.


# How far a delivery has come.
DeliveryState = Literal["pending", "delivered", "failed", "skipped", "superseded"]


class DeliverySummary(TypedDict):
    """A delivery with its newest attempt."""

    attempts: int  # How many attempts were made.
    created_at: str  # When it was made.
    duration_ms: Optional[int]  # How long the attempt took in milliseconds.
    error: Optional[str]  # What went wrong; null where nothing did.
    event_id: str  # The webhook-id header of the delivery.
    id: str  # The event and the target, which are the delivery together.
    last_attempt_at: Optional[str]  # When the newest attempt was made; null before the first.
    milestone_id: Optional[str]  # Null for a webhook.
    next_attempt_at: Optional[str]  # When it is tried next; null where it is not.
    sequence: Optional[int]  # Sequence of the event; null for a test.
    state: DeliveryState  # What became of the delivery.
    status: Optional[int]  # HTTP status of the last answer; null where there was none.
    type: str  # The type of the event that was sent.
    webhook_id: Optional[str]  # Null for a milestone's own webhook.


class DetailedPosition(TypedDict):
    """A position with all that the provider said of it."""

    auxiliary: Optional[bool]  # Whether an auxiliary, such as a power take-off, is running; null where the provider does not say.
    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    ignition: Optional[bool]  # Whether the ignition is on; null where the provider does not say.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    odometer_metres: Optional[float]  # Reading of the odometer in metres; null where the provider does not say.
    speed: Optional[Speed]  # The speed; null where it is not known.
    timestamp: str  # When it was.


class Device(TypedDict):
    """A tracked unit of a connection."""

    active: bool  # Whether the vehicle is in use.
    connection_id: str  # Id of the connection.
    description: Optional[str]  # What the device is called.
    id: str  # Id of the record.
    make: Optional[str]  # Who made the vehicle.
    model: Optional[str]  # Model of the vehicle.
    registration: Optional[str]  # Number plate.
    system_device_id: str  # The provider's id of the device.
    tags: List[str]  # Labels, in lower case; ten that differ at most.
    year: Optional[int]  # Year in which it was made.


class DeviceCounts(TypedDict):
    """Devices in numbers."""

    active: int  # Number of devices that are active.
    reporting_24h: int  # Number of devices heard of in the last 24 hours.
    total: int  # How many there are.


class _DeviceDay(TypedDict):
    """What a device did on one day of its time zone."""

    auxiliary_seconds: float  # Within trips.
    day: str  # The date, such as 2026-03-29.
    distance_metres: float  # Distance driven in metres.
    driving_seconds: float  # Seconds driven.
    end_time: str  # When it ended: 23 or 25 hours later where clocks were changed.
    first_start_time: Optional[str]  # When the first trip of the day began.
    idling_seconds: float  # Within trips.
    last_end_time: Optional[str]  # When the last trip ended.
    standing_seconds: float  # Seconds that it stood.
    start_time: str  # When the day began.
    stop_auxiliary_seconds: float  # Seconds with an auxiliary running while it stood.
    stop_engine_on_seconds: float  # Seconds with the engine on while it stood.
    stops: int  # Stops that began on this day and are over.
    time_zone: str  # IANA name of the time zone that the day is of.
    trips: int  # Trips that began on this day.
    unseen_metres: float  # Ways that no position shows and no trip has, between two stops; they are not in the distance.
    valid_trips: int  # Those that are valid; the sums are of them alone.


class DeviceDay(_DeviceDay, total=False):
    """What a device did on one day of its time zone."""

    engine_seconds: Optional[float]  # By how much the counter of engine time grew; null where none shows it. Only with include=readings.
    fuel_used_litres: Optional[float]  # By how much the counter of fuel grew; null where none shows it. Only with include=readings.
    odometer_end_metres: Optional[float]  # The odometer at the end; null where none shows it. It may be of another line than that at the start, after a reset. Only with include=readings.
    odometer_start_metres: Optional[float]  # The odometer at the start; null where none shows it. Only with include=readings.


class DevicePosition(TypedDict):
    """A position of a batch with its device."""

    device_id: str  # Id of the device.
    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    speed: Optional[Speed]  # The speed; null where it is not known.
    system_device_id: str  # The provider's id of the device.
    timestamp: str  # When it was.


class DeviceRegions(TypedDict):
    """How far one vehicle drove in each region."""

    connection_id: str  # Id of the connection that the vehicle belongs to.
    description: Optional[str]  # Description of the vehicle.
    device_id: str  # Id of the vehicle.
    distance_metres: float  # What these trips have together: the sum of the regions.
    regions: List[RegionDistance]  # A row for each region, by its code; the one without a code last.
    registration: Optional[str]  # Plate of the vehicle.
    trips: int  # Number of valid trips that start in the time asked for.


class DeviceSettings(TypedDict):
    """What was set for one device, and what holds."""

    device_id: str  # Id of the device.
    effective_trip_rules: EffectiveTripRules  # What holds, and who has set it.
    time_zone: ChosenZone  # The zone of the device's days: its connection's, or else the tenant's.
    trip_rules: TripRules  # What is set for the device; of the others a wider setting holds.
    trips: TripSource  # Whether trips are the provider's or derived from positions.


class DeviceSettingsUpdate(TypedDict, total=False):
    """A change of a device's settings: only what is sent changes."""

    trip_rules: Optional[TripRulesUpdate]  # Null takes all rules back.


# What a device does; nothing was heard of a silent one for longer than it should take.
DeviceState = Literal["driving", "idling", "stopped", "silent"]


class _DeviceTagInput(TypedDict):
    """Tags to add to devices and to take away."""

    device_ids: List[str]  # The devices to tag, 1,000 at the most.


class DeviceTagInput(_DeviceTagInput, total=False):
    """Tags to add to devices and to take away."""

    add: List[str]  # Tags that the devices are to have.
    remove: List[str]  # Tags that they are to have no longer.


class DeviceTagResult(TypedDict):
    """What came of tagging devices."""

    changed: int  # How many devices have other tags now.


class DeviceUpdate(TypedDict, total=False):
    """A change of a device: only what is sent changes."""

    active: bool  # Whether the vehicle is in use.
    description: Optional[str]  # What the device is called.
    make: Optional[str]  # Who made the vehicle.
    model: Optional[str]  # Model of the vehicle.
    registration: Optional[str]  # Number plate.
    tags: Optional[List[str]]  # Labels, in lower case; ten that differ at most.
    year: Optional[int]  # Year in which it was made.


class Driver(TypedDict):
    """A person who drives, as a connection's provider lists them."""

    active: bool  # Whether the provider lists the driver as active, unless the tenant has set it.
    connection_id: str  # Id of the connection.
    email: Optional[str]  # An e-mail address; null where the provider does not say.
    employee_number: Optional[str]  # What the fleet's business calls the driver; null where the provider does not say.
    first_name: Optional[str]  # The first name; null where the provider does not say.
    id: str  # Id of the record.
    keys: List[DriverKey]  # What the driver is known by at a vehicle.
    last_name: Optional[str]  # The last name; null where the provider does not say.
    licence_number: Optional[str]  # The number of the driving licence; null where the provider does not say.
    licence_region: Optional[str]  # The state or country that gave the licence.
    name: Optional[str]  # The whole name, as the provider writes it, or put together from its parts.
    phone: Optional[str]  # A telephone number; null where the provider does not say.
    system_driver_id: str  # The provider's id: the value of driver_id of positions and trips. After an erasure it is the pseudonym.
    tags: List[str]  # Labels, in lower case; ten that differ at most.


class DriverAssignment(TypedDict):
    """Someone drove a device for some time."""

    connection_id: str  # Id of the connection.
    device_id: str  # Id of the device.
    driver_id: Optional[str]  # The record of the driver; null where the provider does not list the driver.
    end_time: Optional[str]  # Null while it goes on.
    id: str  # Made of the device, the driver and the start: it changes where the start does.
    method: AssignmentMethod  # How it is known who drove.
    start_time: str  # When it began.
    system_driver_id: str  # The provider's id: the value of driver_id of positions and trips.


class DriverErasure(TypedDict):
    """The work of replacing a driver by a pseudonym."""

    events: int  # Events, or packed parts of the feed with any; also in the feeds of tenants with whom they were shared.
    finished_at: Optional[str]  # Null before it is done.
    id: str  # Id of the record.
    positions: int  # Positions, or packed days of a device with any.
    pseudonym: str  # What stands for the driver everywhere now. It is made up: nothing leads from it to the driver.
    requested_at: str  # When it was asked for.
    state: JobState  # How far it has come.
    trips: int  # Trips in which it was replaced so far.


class DriverID(TypedDict):
    """The driver as the provider names them."""

    format: str  # Always text.
    value: str  # The provider's id of the driver.


class DriverKey(TypedDict):
    """What a driver is known by at a vehicle."""

    type: DriverKeyType  # What kind of key it is.
    value: str  # What the key says.


# What kind of key a driver has.
DriverKeyType = Literal["ibutton", "rfid", "tachograph_card", "code", "other"]


class DriverNotice(TypedDict):
    """A driver that was found or changed. It names no one: the record is read by its id."""

    active: bool  # Whether the driver is active now.
    connection_id: str  # Id of the connection.
    id: str  # Id of the record.


class DriverUpdate(TypedDict, total=False):
    """The fields of a driver to change."""

    active: bool  # Collection leaves it alone from then on.
    tags: Optional[List[str]]  # Labels, in lower case; ten that differ at most.


class ETAPrediction(TypedDict):
    """An arrival that was predicted, against the real one."""

    arrived_at: Optional[str]  # When the device arrived; null until then, and where a deadline ended the journey.
    distance_to_destination_km: float  # Distance that remained in kilometres.
    error_seconds: Optional[float]  # By how many seconds the predicted arrival is later than the real one; null before that.
    eta: str  # The arrival that was predicted.
    eta_p10: Optional[str]  # One arrival in ten is before this time; null where no range was kept.
    eta_p90: Optional[str]  # One arrival in ten is after this time; null where no range was kept.
    predicted_at: str  # When it was predicted.


class EffectiveTripRules(TypedDict):
    """The rules by which trips are derived, with where each was set."""

    gap_seconds: ChosenSeconds  # Seconds without a position after which a trip ends.
    idle_seconds: ChosenSeconds  # Seconds of standing with the engine on that count as idling.
    min_distance_metres: ChosenMetres  # Metres below which a movement is no trip.
    moving_kph: ChosenSpeed  # Speed from which on a vehicle moves.
    radius_metres: ChosenMetres  # Metres within which a vehicle counts as standing in one place.
    stop_seconds: ChosenSeconds  # Seconds of standing that end a trip.


class DeviceEvent(TypedDict):
    """An event whose data is a Device."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: Device  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['device.created', 'device.updated']  # What happened.


class DeviceStateEvent(TypedDict):
    """An event whose data is a StateChange."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: StateChange  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['device.state_changed']  # What happened.


class PositionEvent(TypedDict):
    """An event whose data is a PositionBatch."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: PositionBatch  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['position.updated']  # What happened.


class ReadingEvent(TypedDict):
    """An event whose data is a ReadingBatch."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: ReadingBatch  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['reading.updated']  # What happened.


class FaultEvent(TypedDict):
    """An event whose data is a Fault."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: Fault  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['fault.opened', 'fault.closed']  # What happened.


class SafetyEventEvent(TypedDict):
    """An event whose data is a SafetyEvent."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: SafetyEvent  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['safety_event.recorded', 'safety_event.updated']  # What happened.


class TripEvent(TypedDict):
    """An event whose data is a Trip."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: Trip  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['trip.completed', 'trip.updated']  # What happened.


class DriverEvent(TypedDict):
    """An event whose data is a DriverNotice."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: DriverNotice  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['driver.created', 'driver.updated']  # What happened.


class MilestoneEvent(TypedDict):
    """An event whose data is a Milestone."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: Milestone  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.created', 'milestone.updated', 'milestone.deleted']  # What happened.


class MilestoneStepEvent(TypedDict):
    """An event whose data is a MilestoneStep."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: MilestoneStep  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.started', 'milestone.entered', 'milestone.ended', 'milestone.timed_out']  # What happened.


class MilestoneLatenessEvent(TypedDict):
    """An event whose data is a MilestoneLateness."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: MilestoneLateness  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.late', 'milestone.on_time_again']  # What happened.


class ConnectionEvent(TypedDict):
    """An event whose data is a Connection."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: Connection  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.created', 'connection.updated', 'connection.deleted']  # What happened.


class ConnectionFailureEvent(TypedDict):
    """An event whose data is a ConnectionFailure."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: ConnectionFailure  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.failing', 'connection.recovered']  # What happened.


class ConnectionDoubtEvent(TypedDict):
    """An event whose data is a ConnectionDoubt."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: ConnectionDoubt  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.doubtful', 'connection.trusted']  # What happened.


class CoverageLossEvent(TypedDict):
    """An event whose data is a CoverageLoss."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: CoverageLoss  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.coverage_lost']  # What happened.


class WebhookDisabledEvent(TypedDict):
    """An event whose data is a WebhookDisabled."""

    connection_id: Optional[str]  # Id of the connection that it is about; null where it is about none.
    data: WebhookDisabled  # What the event says, by its type.
    device_id: Optional[str]  # Id of the device that it is about; null where it is about none or several.
    id: str  # Id of the record.
    milestone_id: Optional[str]  # Id of the milestone that it is about; null where it is about none.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['webhook.disabled']  # What happened.


class EventCount(TypedDict):
    """How many events of a type there were."""

    count: int  # How many there were.
    type: EventType  # The type of the events.


class EventStorage(TypedDict):
    """What the feed takes."""

    bytes: int  # What they take; estimated from the newest.
    rows: int  # Events that are kept.


# What happened.
EventType = Literal["device.created", "device.updated", "device.state_changed", "position.updated", "reading.updated", "fault.opened", "fault.closed", "safety_event.recorded", "safety_event.updated", "trip.completed", "trip.updated", "driver.created", "driver.updated", "milestone.created", "milestone.updated", "milestone.started", "milestone.entered", "milestone.ended", "milestone.timed_out", "milestone.late", "milestone.on_time_again", "milestone.deleted", "connection.created", "connection.updated", "connection.deleted", "connection.failing", "connection.recovered", "connection.doubtful", "connection.trusted", "connection.coverage_lost", "webhook.disabled"]


class Export(TypedDict):
    """A file of records that is made in the background."""

    bytes: int  # Size of what is written so far.
    created_at: str  # When it was asked for.
    error: Optional[str]  # Why it has failed; null unless it has.
    expires_at: Optional[str]  # When it is forgotten together with its file; null before it has ended.
    filters: Any  # Which records, as they were asked for.
    finished_at: Optional[str]  # When it ended; null before.
    format: ExportFormat  # How they are written.
    id: str  # Id of the export.
    kind: ExportKind  # What it has the records of.
    progress_percent: float  # How much is written, from 0 to 100; an estimate until the end.
    records: int  # Number of records written so far.
    started_at: Optional[str]  # When it was last begun; null while it waits.
    state: ExportState  # How far it has come. Only one that is done has a file.


# How the records of an export are written.
ExportFormat = Literal["csv", "jsonl", "geojson", "parquet"]


class _ExportInput(TypedDict):
    """An export to be made."""

    format: ExportFormat  # How to write them. Events, readings, drivers and faults have no place, so there is no geojson of them.
    kind: ExportKind  # What to export the records of.


class ExportInput(_ExportInput, total=False):
    """An export to be made."""

    filters: Any  # Which records: an object with the query parameters of the list of that kind. For positions and readings these are device_id and connection_id (both may be lists), tag, from and to, with include_suspect for positions, and kind, suspect and every for readings. Without it, all.


# What an export has the records of.
ExportKind = Literal["device", "position", "trip", "stop", "milestone", "event", "reading", "driver", "fault", "safety_event"]


# How far an export has come.
ExportState = Literal["queued", "running", "done", "failed", "cancelled"]


class FactorCode(TypedDict):
    """A code of a second factor."""

    code: str  # Six digits of the authenticator app, or a recovery code.


class FactorConfirmed(TypedDict):
    """For how long a second factor is not asked for again."""

    confirmed_until: str  # Until when it is not asked for again in this session.


class FactorInput(TypedDict, total=False):
    """What setting up an authenticator app takes."""

    password: Optional[str]  # The user's own. Those who have come in by single sign-on leave it out.


class FactorProof(TypedDict, total=False):
    """A second factor that someone shows: a code, or what a passkey has signed."""

    code: str  # Six digits of the authenticator app, or a recovery code.
    passkey: Optional[PasskeyProof]  # What a passkey has signed, in place of a code.


class FactorRule(TypedDict):
    """Whose second factor a tenant requires."""

    include_sso: bool  # Whether that holds for sessions that the tenant's own provider opened, too. Without it the second factor is the provider's matter.
    required_roles: List[Role]  # Users with one of these roles can do nothing but set one up until they have it; empty requires it of no one.


class FactorRuleUpdate(TypedDict, total=False):
    """A change of whose second factor is required: only what is sent changes."""

    include_sso: bool  # Whether it holds for single sign-on, too.
    required_roles: List[Role]  # The list replaces the one before.


class FactorSecret(TypedDict):
    """What an authenticator app is set up with."""

    secret: str  # The secret, in base32, to be typed.
    uri: str  # The same as an address, to be shown as a QR code.


# What has to be done about the second factor: it has to be set up, or shown.
FactorStep = Literal["enrol", "required"]


class Fault(TypedDict):
    """Something broken that a vehicle reports, from when it was seen first until it was over."""

    closed_at: Optional[str]  # When it was known to be over; null while it is not.
    closed_by: Optional[FaultClosing]  # vendor where the provider says that it is over, absence where it is gone from a whole list, silence where nothing was reported for 30 days; null while it is open.
    code: str  # As the protocol writes it: P0420, SPN 3031 FMI 9, the name of a tell-tale, or the provider's words.
    connection_id: str  # Id of the connection.
    description: Optional[str]  # The provider's words; null where it has none.
    device_id: str  # Id of the device.
    first_seen_at: str  # When it was first reported, or began where the provider says that.
    fmi: Optional[int]  # Failure mode identifier of J1939; null where the provider gives no such number.
    id: str  # Id of the record.
    lamps: List[Lamp]  # The lamps of the dashboard that are lit for it.
    last_seen_at: str  # When it was last reported, to a quarter of an hour.
    occurrences: Optional[int]  # How often the vehicle has counted it; null where the provider does not say.
    protocol: FaultProtocol  # The language of the code.
    severity: Optional[FaultSeverity]  # As the provider says; null where it does not.
    source_address: Optional[int]  # The control unit that reports it; null where the provider does not say.
    spn: Optional[int]  # Suspect parameter number of J1939; null where the provider gives no such number.
    status: FaultStatus  # Whether it is there: open, pending while the vehicle is not sure yet, or closed.


# By what a fault is known to be over.
FaultClosing = Literal["vendor", "absence", "silence"]


# The language in which a vehicle reports a fault.
FaultProtocol = Literal["obd", "j1939", "j1708", "tell_tale", "oem", "unknown"]


# How bad a fault is, as the provider says.
FaultSeverity = Literal["low", "medium", "high", "critical"]


# Whether a fault is there; a pending one is not confirmed yet.
FaultStatus = Literal["open", "pending", "closed"]


class FilePart(TypedDict):
    """A call that a file describes, as a run made it."""

    at: str  # When the run was.
    calls: int  # How often the run made it.
    from_line: int  # The first of its lines in the text.
    part: str  # Its key in the file, such as positions.newest.
    rows: int  # Rows in the answers. Those that are no record are left out of records.
    to_line: int  # The last of its lines.


class FileRecords(TypedDict):
    """What a run gave of one kind."""

    at: str  # When the run was.
    kind: str  # devices, positions or trips.
    records: int  # How many.


class FileRefusal(TypedDict):
    """A version of a file that failed when it was tried."""

    at: str  # When it was tried last.
    reason: str  # What went wrong, in words.
    version: str  # Its hash.


class Finding(TypedDict):
    """A record that a search has found."""

    detail: Optional[str]  # A device's registration, a connection's provider, a driver's id at the provider, or the id of the device of any other record.
    id: str  # Id of the record.
    kind: SearchKind  # What kind of record it is.
    name: Optional[str]  # A device's description, a connection's business name, a milestone's reference, a driver's name, a fault's code, or the type of a safety event.


class HistoricPosition(TypedDict):
    """A position of a device's history."""

    auxiliary: Optional[bool]  # Whether an auxiliary, such as a power take-off, is running; null where the provider does not say.
    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    ignition: Optional[bool]  # Whether the ignition is on; null where the provider does not say.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    odometer_metres: Optional[float]  # Reading of the odometer in metres; null where the provider does not say.
    speed: Optional[Speed]  # The speed; null where it is not known.
    suspect: Optional[str]  # Why the position is not believed; null where it is.
    timestamp: str  # When it was.


class InboundAddress(TypedDict):
    """Where a provider may call with news of a connection."""

    connection_id: str  # Id of the connection.
    created_at: str  # When it was made.
    help: str  # Where the provider takes the address.
    signed: bool  # The credentials have a webhook_secret, and notices without the provider's own signature, or key, are refused.
    url: str  # Where the provider is to send its notices. It is shown this once; the one before is no longer taken.


class InboundState(TypedDict):
    """How the notices of a provider go."""

    created_at: str  # When it was made.
    last_notice_at: Optional[str]  # When the provider last sent a notice; null before the first.


class InvitationView(TypedDict):
    """An invitation as the fleet sees it."""

    business_name: str  # The fleet that is asked.
    connected_at: Optional[str]  # When the fleet connected its provider; null before.
    consent: bool  # Whether the provider is to be asked for its consent (POST …/consent), instead of credentials being entered.
    expires_at: str  # When the link can no longer be used.
    providers: List[Provider]  # Those to choose from; none once the link is used.
    reads: List[str]  # What is read.
    renewal: bool  # Whether new credentials are asked for, of what is connected already.
    since: Optional[str]  # From when on data is read; from the connection on, where it is null.
    state: ConnectionLinkState  # How far the invitation has come.
    tenant_name: str  # For whom the data is read.
    withdrawn_at: Optional[str]  # When access was withdrawn; null where it was not.


class JobHealth(TypedDict):
    """How one of a connection's jobs goes."""

    backfill: Optional[BackfillState]  # How far the past is filled in; null for a live job.
    consecutive_errors: int  # Failed runs since the last that went well.
    history: Optional[BackfillState]  # The same as backfill, under its former name. Read backfill.
    id: str  # Id of the job.
    kind: str  # What the job reads.
    lag_seconds: Optional[float]  # Seconds since the job last ran well; null for the past.
    last_error: Optional[str]  # The newest error in words; null where there was none.
    last_error_at: Optional[str]  # When it was.
    last_error_kind: Optional[str]  # What kind of error it was.
    last_run_at: Optional[str]  # When it was last tried.
    last_success_at: Optional[str]  # When it last went well.
    next_run_at: Optional[str]  # When it is read next; null where it is not.
    records: int  # Records read.
    state: str  # How it is.


class JobHour(TypedDict):
    """How the runs of a job went in one hour."""

    failures: int  # Runs that failed.
    hour: str  # Beginning of the hour.
    kind: str  # What the job reads.
    records: int  # Records read.
    runs: int  # How often it was tried.


# How far work in the background has come.
JobState = Literal["queued", "running", "done", "failed", "cancelled"]


# Whom an API key ends with.
KeyOwner = Literal["user", "tenant"]


# A lamp of the dashboard.
Lamp = Literal["malfunction", "amber", "red_stop", "protect"]


class LimitInput(TypedDict):
    """How much a tenant may have of something."""

    limit: Optional[int]  # Null is the default again.
    name: Quota  # What is bounded.


class LinkConsent(TypedDict):
    """Where a fleet agrees at its provider."""

    state: str  # Comes back beside the code: an answer with another one belongs to someone else.
    url: str  # The vendor's page, to be opened in a browser. The vendor then sends it to the redirect URI of the tenant's application.


class _LinkInput(TypedDict):
    """What a fleet enters at an invitation."""

    credentials: Dict[str, str]  # The provider's credentials by the names of its fields.
    integration_name: ProviderEnum  # The provider.


class LinkInput(_LinkInput, total=False):
    """What a fleet enters at an invitation."""

    code: Optional[str]  # What the vendor has sent to the redirect URI once a person has agreed, instead of credentials, which are empty then.


class LinkResult(TypedDict):
    """What came of credentials that a fleet has entered."""

    connected: bool  # Whether the credentials work, and are kept. Otherwise the link can be used again.
    trial: ConnectionTrial  # What the provider answered.


class ManagedTenant(TypedDict):
    """A tenant, as the operator sees it."""

    created_at: str  # When it was made.
    id: str  # Id of the record.
    name: str  # What it is called.
    state: TenantState  # A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.


class ManagedTenantDetail(TypedDict):
    """A tenant with its limits."""

    created_at: str  # When it was made.
    id: str  # Id of the record.
    limits: List[AccountLimit]  # How much the tenant may have, and has.
    name: str  # What it is called.
    state: TenantState  # A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.


class _Milestone(TypedDict):
    """A journey of a device between two points that is followed."""

    created_at: str  # When it was made.
    device_id: str  # Id of the device.
    end_point: Coordinate  # Where the journey ends.
    end_time: Optional[str]  # When the journey is to end; null where that is open.
    id: str  # Id of the record.
    last_webhook_error: Optional[str]  # The newest error of the milestone's webhook; null where there was none.
    last_webhook_error_at: Optional[str]  # When it was.
    start_point: Coordinate  # Where the journey starts.
    start_time: str  # From when on the journey counts.
    status: MilestoneStatus  # How far the journey has come.
    tenant_id: str  # Id of the tenant that owns it.
    updated_at: str  # When it was last changed.
    webhook_enabled: bool  # Whether the milestone's events are sent.
    webhook_error_count: int  # Failed attempts since the last success.
    webhook_url: Optional[str]  # Address to which the milestone's events are sent.


class Milestone(_Milestone, total=False):
    """A journey of a device between two points that is followed."""

    metadata: Dict[str, str]  # What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
    radius_metres: Optional[float]  # Radius of the circles around both points in metres, where it is set.
    reference: Optional[str]  # The tenant's own name of it, such as the number of an order, where it is set.


class _MilestoneInput(TypedDict):
    """A milestone to be made."""

    device_id: str  # Id of the device.
    end_point: Coordinate  # Where the journey ends.
    start_point: Coordinate  # Where the journey starts.


class MilestoneInput(_MilestoneInput, total=False):
    """A milestone to be made."""

    end_time: Optional[str]  # When the journey is to end; null where that is open.
    metadata: Optional[Dict[str, str]]  # What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
    radius_metres: Optional[float]  # Radius of the circles around both points in metres, where it is set.
    reference: Optional[str]  # The tenant's own name of it, such as the number of an order, where it is set.
    start_time: Optional[str]  # From when on the journey counts.
    webhook_enabled: Optional[bool]  # Whether the milestone's events are sent.
    webhook_url: Optional[str]  # Address to which the milestone's events are sent.


class _MilestoneLateness(TypedDict):
    """A milestone that is late, or on time again: its end_time is the deadline."""

    created_at: str  # When it was made.
    device_id: str  # Id of the device.
    end_point: Coordinate  # Where the journey ends.
    end_time: Optional[str]  # When the journey is to end; null where that is open.
    eta: Optional[str]  # When the device is expected to arrive, or did. Null where nothing can be predicted: the deadline has passed.
    eta_p10: Optional[str]  # One arrival in ten is before this time. Null where nothing is predicted, and after the arrival.
    eta_p90: Optional[str]  # One arrival in ten is after this time. Null where nothing is predicted, and after the arrival.
    id: str  # Id of the record.
    last_webhook_error: Optional[str]  # The newest error of the milestone's webhook; null where there was none.
    last_webhook_error_at: Optional[str]  # When it was.
    late_by_seconds: Optional[float]  # By how much eta is later than end_time, or the present where nothing is predicted; below zero where it is earlier. Null once the share of the device's positions has ended.
    start_point: Coordinate  # Where the journey starts.
    start_time: str  # From when on the journey counts.
    status: MilestoneStatus  # How far the journey has come.
    tenant_id: str  # Id of the tenant that owns it.
    updated_at: str  # When it was last changed.
    webhook_enabled: bool  # Whether the milestone's events are sent.
    webhook_error_count: int  # Failed attempts since the last success.
    webhook_url: Optional[str]  # Address to which the milestone's events are sent.


class MilestoneLateness(_MilestoneLateness, total=False):
    """A milestone that is late, or on time again: its end_time is the deadline."""

    metadata: Dict[str, str]  # What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
    radius_metres: Optional[float]  # Radius of the circles around both points in metres, where it is set.
    reference: Optional[str]  # The tenant's own name of it, such as the number of an order, where it is set.


class MilestoneLink(TypedDict):
    """A page that shows a journey to people without a login."""

    created_at: str  # When it was made.
    expires_at: str  # When it ends.
    id: str  # Id of the record.
    last_opened_at: Optional[str]  # When it was last opened; null where it never was.
    milestone_id: str  # Id of the milestone.
    opened_count: int  # How often it was opened.


class MilestoneLinkCreated(TypedDict):
    """A new page with its address, which is shown this once."""

    created_at: str  # When it was made.
    expires_at: str  # When it ends.
    id: str  # Id of the record.
    last_opened_at: Optional[str]  # When it was last opened; null where it never was.
    milestone_id: str  # Id of the milestone.
    opened_count: int  # How often it was opened.
    url: str  # The address of the page, shown this once: beginning with --public-url, or a path where none is set.


class MilestoneLinkInput(TypedDict, total=False):
    """A page to be made."""

    expires_at: Optional[str]  # At most 90 days ahead; seven days from now, where it is left out.


# How far a journey has come. It never goes back by itself.
MilestoneStatus = Literal["trip_not_started", "trip_in_progress", "trip_ended"]


class _MilestoneStep(TypedDict):
    """A milestone that has moved on, or whose device is silent."""

    created_at: str  # When it was made.
    device_id: str  # Id of the device.
    end_point: Coordinate  # Where the journey ends.
    end_time: Optional[str]  # When the journey is to end; null where that is open.
    id: str  # Id of the record.
    last_webhook_error: Optional[str]  # The newest error of the milestone's webhook; null where there was none.
    last_webhook_error_at: Optional[str]  # When it was.
    occurred_at: str  # Time of the position, or of the deadline, that brought it about.
    position: Optional[CurrentPosition]  # The position; null where there is none.
    start_point: Coordinate  # Where the journey starts.
    start_time: str  # From when on the journey counts.
    status: MilestoneStatus  # How far the journey has come.
    tenant_id: str  # Id of the tenant that owns it.
    updated_at: str  # When it was last changed.
    webhook_enabled: bool  # Whether the milestone's events are sent.
    webhook_error_count: int  # Failed attempts since the last success.
    webhook_url: Optional[str]  # Address to which the milestone's events are sent.


class MilestoneStep(_MilestoneStep, total=False):
    """A milestone that has moved on, or whose device is silent."""

    metadata: Dict[str, str]  # What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
    radius_metres: Optional[float]  # Radius of the circles around both points in metres, where it is set.
    reference: Optional[str]  # The tenant's own name of it, such as the number of an order, where it is set.


class MilestoneUpdate(TypedDict, total=False):
    """A change of a milestone: only what is sent changes."""

    device_id: str  # Id of the device.
    end_point: Coordinate  # Where the journey ends.
    end_time: Optional[str]  # When the journey is to end; null where that is open.
    metadata: Optional[Dict[str, str]]  # What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
    radius_metres: Optional[float]  # Radius of the circles around both points in metres, where it is set.
    reference: Optional[str]  # The tenant's own name of it, such as the number of an order, where it is set.
    start_point: Coordinate  # Where the journey starts.
    start_time: str  # From when on the journey counts.
    webhook_enabled: bool  # Whether the milestone's events are sent.
    webhook_url: Optional[str]  # Address to which the milestone's events are sent.


class MilestoneUpdateEntry(TypedDict):
    """Where the device of a milestone is, when it arrives, and how late that is."""

    connection_id: str  # Id of the connection.
    current_position: Optional[CurrentPosition]  # The newest position, or the last one known; null where there is none.
    device_id: str  # Id of the device.
    distance_to_destination_km: Optional[float]  # Distance that remains in kilometres; null where that cannot be known.
    eta: Optional[str]  # When the device is expected to arrive; null where that cannot be known.
    last_updated_at: Optional[str]  # Time of the newest position; null where there is none.
    late_by_seconds: Optional[float]  # By how much the arrival, predicted or real, is later than end_time; below zero where it is earlier. Where nothing is predicted, the time since end_time once that has passed. Null without end_time, before it without a prediction, and where the journey ended without an arrival.
    milestone_id: str  # Id of the milestone.
    progress: Optional[float]  # How much of the way is behind the device, from 0 to 1, by straight lines. Null while it is under way and has no position.
    status: MilestoneStatus  # How far the journey has come.
    system_device_id: str  # The provider's id of the device.


class MilestoneUpdateRecord(TypedDict):
    """Where a milestone's device is and when it arrives: in one of two states."""

    connection_id: str  # Id of the connection.
    current_position: Optional[CurrentPosition]  # The newest position, or the last one known; null where there is none.
    device_id: str  # Id of the device.
    distance_to_destination_km: Optional[float]  # Distance that remains in kilometres.
    eta: Optional[str]  # When the device is expected to arrive, or did.
    last_updated_at: Optional[str]  # Time of the newest position; null where there is none.
    milestone_id: str  # Id of the milestone.
    system_device_id: str  # The provider's id of the device.


# What becomes of people who sign in by the provider and have no user yet.
NewUsers = Literal["invited", "automatic"]


class NewestColumns(TypedDict):
    """The newest positions as one list for each field, of the same length and order."""

    auxiliary: List[Optional[bool]]  # Whether an auxiliary is running.
    connection_id: List[str]  # Ids of the connections.
    description: List[Optional[str]]  # What the devices are called.
    device_id: List[str]  # Ids of the devices.
    driver_id: List[Optional[str]]  # The driver.
    heading: List[Optional[float]]  # Directions of travel in degrees, clockwise from north; null in a place where it is not known.
    ignition: List[Optional[bool]]  # Whether the ignition is on; null in a place where the provider does not say.
    latitude: List[Optional[float]]  # Latitudes in degrees.
    longitude: List[Optional[float]]  # Longitudes in degrees.
    odometer_metres: List[Optional[float]]  # Readings of the odometer in metres; null in a place where the provider does not say.
    registration: List[Optional[str]]  # Number plates.
    speed_kph: List[Optional[float]]  # Speeds in kilometres an hour.
    state: List[DeviceState]  # What each device does.
    state_since: List[Optional[str]]  # Since when it does so; null in a place where the device was never heard of.
    timestamp: List[Optional[str]]  # Times of the positions.


class NewestPosition(TypedDict):
    """The row of a device in the newest positions of a fleet."""

    connection_id: str  # Id of the connection.
    description: Optional[str]  # What the device is called.
    device_id: str  # Id of the device.
    position: Optional[DetailedPosition]  # Null for a device that has never reported.
    registration: Optional[str]  # Number plate.
    state: DeviceState  # What the device does.
    state_since: Optional[str]  # Since when; null for a device that was never heard of.


class NewestReading(TypedDict):
    """What a device's instruments of one kind and channel said last."""

    channel: Optional[str]  # Which of several, such as the number of a probe or the place of a door; null where there is one.
    connection_id: str  # Id of the connection.
    device_id: str  # Id of the device.
    id: str  # Names the device's readings of this kind and channel: the newest one has it, whatever it says.
    kind: ReadingKind  # What was measured; the unit is in the name.
    native_name: str  # What the provider calls it.
    source: Optional[ReadingSource]  # Who measures or counts; null where the provider does not say.
    suspect: Optional[str]  # Why the value is not believed: range, zero, backwards or jump; null where it is.
    timestamp: str  # When the value itself was measured, which need not be the time of a position.
    value: float  # In the unit that the kind names; states are 1 and 0.


class Note(TypedDict):
    """What a person has written down about a device or one of its trips."""

    author: str  # Who wrote it, by the name at that time: a user, or a key.
    author_id: str  # The user or the key.
    created_at: str  # When it was made.
    device_id: str  # Id of the device.
    id: str  # Id of the record.
    text: str  # What was written, as plain text.
    trip_id: Optional[str]  # The trip that it is about; null where it is about the device.


class _NoteInput(TypedDict):
    """A note to be written."""

    text: str  # Plain text of at most 2,000 characters. Blanks around it are left out.


class NoteInput(_NoteInput, total=False):
    """A note to be written."""

    trip_id: Optional[str]  # A trip of the device that the note is about; without it, it is about the device.


# Whether a connection can have a kind of reading, or faults.
Offer = Literal["native", "not_offered", "needs_scope"]


class OwnUpdate(TypedDict, total=False):
    """A change of one's own account: only what is sent changes."""

    old_password: Optional[str]  # Needed with password.
    password: Optional[str]  # 8 to 1024 bytes. All other sessions end.
    preferences: Any  # An object of at most 16384 bytes, which replaces the one before.


# Someone who must act on the state of a connection.
Party = Literal["fleet", "vendor", "operator", "drover"]


class Passkey(TypedDict):
    """A key pair in a device of a user, which signs in without a password and is a second factor."""

    backed_up: bool  # Whether other devices of the user have it too.
    created_at: str  # When it was made.
    id: str  # Id of the record.
    last_used_at: Optional[str]  # When it was last shown; null where it never was.
    name: str  # How the user calls it.


class PasskeyChallenge(TypedDict):
    """What a browser asks a device to sign."""

    challenge: str  # In base64url. It is good once, for what it was asked for, until expires_at.
    credential_ids: List[str]  # The user's passkeys, in base64url: those to choose from, or not to make again. Empty at a sign-in, where the device knows.
    expires_at: str  # Until when it is accepted.
    rp_id: str  # The host that passkeys are bound to.
    user_handle: Optional[str]  # What a new passkey calls its user, in base64url; null where none is made.
    user_name: Optional[str]  # What a device shows for the user; null where no passkey is made.


class PasskeyCreated(TypedDict):
    """A new passkey, with recovery codes where it is the first second factor."""

    backed_up: bool  # Whether other devices of the user have it too.
    created_at: str  # When it was made.
    id: str  # Id of the record.
    last_used_at: Optional[str]  # When it was last shown; null where it never was.
    name: str  # How the user calls it.
    recovery_codes: List[str]  # Where it is the user's first second factor: ten codes, each good once, which are shown this once. Otherwise empty.


class PasskeyInput(TypedDict):
    """A passkey to be added, as the browser has it."""

    authenticator_data: str  # Of its response.getAuthenticatorData().
    client_data: str  # Its response.clientDataJSON.
    credential_id: str  # Its rawId, in base64url, as all below.
    name: str  # How the user calls it.
    public_key: str  # Of its response.getPublicKey(): ES256, RS256 or EdDSA.


class _PasskeyProof(TypedDict):
    """What a passkey has signed, as the browser has it."""

    authenticator_data: str  # Its response.authenticatorData.
    client_data: str  # Its response.clientDataJSON.
    credential_id: str  # Its rawId, in base64url, as all below.
    signature: str  # Its response.signature.


class PasskeyProof(_PasskeyProof, total=False):
    """What a passkey has signed, as the browser has it."""

    user_handle: str  # Its response.userHandle, where it has one. A sign-in without a password needs it.


class PasskeyUpdate(TypedDict):
    """Another name of a passkey."""

    name: str  # How the user calls it.


# What a key or a caller may do.
Permission = Literal["read", "write", "secrets", "admin", "push"]


class PositionBatch(TypedDict):
    """New positions of one connection, at most 500."""

    connection_id: str  # Id of the connection.
    positions: List[DevicePosition]  # The positions, oldest first for each device.


class PositionStorage(TypedDict):
    """What positions take."""

    blocks: int  # Packed days, or parts of large ones.
    bytes_per_position: Optional[float]  # Of packed positions. Null before there are any.
    packed: int  # Positions in packed days.
    packed_bytes: int  # What packed positions take.
    per_day: Optional[float]  # Positions of a day, on the average of the last seven packed days. Null before there is one.
    row_bytes: int  # What they take, with their index; estimated.
    rows: int  # Positions that are not packed yet.


class PositionUpdatedData(TypedDict):
    """New positions of one connection as a webhook receives them."""

    connection_id: str  # Id of the connection.
    positions: List[PositionUpdatedDataItem]  # The positions, oldest first for each device.


class _PositionUpdatedDataItem(TypedDict):
    """A position of a batch as a webhook receives it."""

    device_id: str  # Id of the device.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    system_device_id: str  # The provider's id of the device.
    timestamp: str  # When it was.


class PositionUpdatedDataItem(_PositionUpdatedDataItem, total=False):
    """A position of a batch as a webhook receives it."""

    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    speed: Optional[Speed]  # The speed; null where it is not known.


class Provider(TypedDict):
    """A telematics provider and what it can tell."""

    credentials: List[CredentialField]  # The credentials that it wants.
    driver_assignments: List[str]  # What the provider calls its own assignments of drivers that are read; empty where none are.
    faults: List[str]  # What the provider calls the faults that are read; empty where none are.
    features: ProviderFeatures  # What it can report.
    homepage: str  # Where the provider describes its API.
    limits: List[ProviderLimit]  # How often it may be called.
    name: ProviderEnum  # How the interface names it.
    notes: List[str]  # What to know of it.
    polling: ProviderPolling  # How often it is asked.
    readings: List[ProviderReading]  # What is read of the vehicles' instruments, where the vehicle has them.
    safety_types: List[SafetyType]  # The types of the safety events that are read, besides other; empty where none are.
    title: str  # What people call it.


# The telematics providers.
ProviderEnum = Literal["automile", "bouncie", "cartrack", "flespi", "geotab", "gpswox", "john_deere", "mix_telematics", "motive", "navixy", "ruptela", "samsara", "scania", "teletrac_navman", "traccar", "trackunit", "verizon_connect", "volvo_trucks", "webfleet", "wialon"]


class _ProviderFeatures(TypedDict):
    """What a provider can report."""

    auxiliary: bool  # Whether it reports auxiliaries.
    backfill: bool  # Whether the past can be read.
    driver: bool  # Whether it reports drivers.
    drivers: bool  # The persons who drive are listed.
    feed: bool  # Whether it has a feed of changes.
    heading: bool  # Whether it reports headings.
    idling: bool  # Whether it reports idling.
    ignition: bool  # Whether it reports the ignition.
    odometer: bool  # Whether it reports odometers.
    push: bool  # The provider sends positions by itself while a stream to it is open; it is polled more seldom then.
    snapshot: bool  # Live positions are the newest of each device; the track between two polls is read hourly.
    speed: bool  # Whether it reports speeds.
    trips: TripSource  # Whether trips are the provider's or derived from positions.
    trips_need: Optional[str]  # Credential without which trips are derived all the same.


class ProviderFeatures(_ProviderFeatures, total=False):
    """What a provider can report."""

    records: bool  # There is no one to ask: programs send records to the connection. Absent otherwise.


class ProviderLimit(TypedDict):
    """How often a provider may be called."""

    concurrent: Optional[int]  # Calls at the same time.
    path: str  # Which calls the limit is for; absent is all.
    per_seconds: Optional[int]  # Seconds over which requests are counted.
    requests: Optional[int]  # Requests in that time.


class ProviderPolling(TypedDict):
    """How often a provider is asked."""

    devices_seconds: int  # Seconds between two lists of devices.
    freshness_seconds: int  # How long after the provider has a position it is read: of 500 devices, for 95 of 100 positions.
    positions_seconds: int  # Seconds between two polls of positions.
    trips_seconds: Optional[int]  # Seconds between two polls of trips; null where they are derived.


class ProviderReading(TypedDict):
    """What a provider says of one of the vehicles' instruments."""

    channel: Optional[str]  # Which of several; * where the account says how many there are, null where there is one.
    kind: ReadingKind  # What is measured; the unit is in the name.
    native_name: str  # What the provider calls it.
    source: Optional[ReadingSource]  # Who measures or counts; null where the provider does not say.


class PurgeProgress(TypedDict):
    """How far erasing the data of a connection is."""

    devices_done: int  # Devices that are erased with all their data. The connection goes last.
    devices_total: int  # Devices that it had.
    requested_at: str  # When it was asked for.


class Push(TypedDict):
    """Whether positions come by a push of the provider's."""

    message: Optional[str]  # What the push ended with; null where nothing is wrong.
    since: Optional[str]  # When the push was opened or ended, or last failed to open; null before the first, and where the process that held it died.
    state: PushState  # open: positions come as the provider has them, and polls are rare; closed: they are polled at the usual interval.


# Whether a provider's stream is open.
PushState = Literal["open", "closed"]


class QualityCheck(TypedDict):
    """One of the things that are measured of a connection's data."""

    assumed: Optional[str]  # What drover takes for granted of this provider until it is measured.
    measured: Optional[float]  # What was measured.
    name: str  # What is checked.
    reason: Optional[str]  # What is doubtful, in words.
    samples: int  # How many values were looked at.
    suggestion: Optional[str]  # The entry of configuration.units that would mend it.
    unit: Optional[str]  # What measured is in.
    verdict: Literal['verified', 'plausible', 'doubtful']  # What is made of it, in one word.


class QualityLatency(TypedDict):
    """How late positions arrive."""

    p50_seconds: Optional[float]  # Half of the positions arrive within so many seconds.
    p95_seconds: Optional[float]  # Nineteen of twenty positions arrive within so many seconds.


# Something that a tenant may have a bounded amount of.
Quota = Literal["connections", "devices", "webhooks", "filter_bytes", "open_milestones", "streams", "sync_jobs", "exports", "api_keys", "users", "links", "requests_per_minute"]


class Reading(TypedDict):
    """What one of a vehicle's instruments said at one instant."""

    channel: Optional[str]  # Which of several, such as the number of a probe or the place of a door; null where there is one.
    connection_id: str  # Id of the connection.
    device_id: str  # Id of the device.
    kind: ReadingKind  # What was measured; the unit is in the name.
    native_name: str  # What the provider calls it.
    source: Optional[ReadingSource]  # Who measures or counts; null where the provider does not say.
    suspect: Optional[str]  # Why the value is not believed: range, zero, backwards or jump; null where it is.
    timestamp: str  # When the value itself was measured, which need not be the time of a position.
    value: float  # In the unit that the kind names; states are 1 and 0.


class ReadingBatch(TypedDict):
    """Readings of devices of one connection that are new, at most 500."""

    connection_id: str  # Id of the connection.
    readings: List[NewestReading]  # What the devices show now, of the kinds that webhooks ask for.


# What a reading measures; the unit is in its name. Ignore kinds that you do not know: more may come.
ReadingKind = Literal["odometer_metres", "engine_seconds", "idle_seconds", "pto_seconds", "fuel_used_litres", "fuel_level_percent", "fuel_level_litres", "def_level_percent", "charge_percent", "supply_volts", "coolant_celsius", "ambient_celsius", "probe_celsius", "door_open", "pto_active"]


# Who measures or counts: the vehicle, a part that was fitted, the tracker, or the provider, which computes it or lets a person set it.
ReadingSource = Literal["vehicle", "sensor", "tracker", "platform"]


# A window of the past whose trips are derived again.
Recompute = TypedDict("Recompute", {
    "connection_id": "Optional[str]",  # The connection whose devices it is about; null where that is left open.
    "created_at": "str",  # When it was made.
    "device_id": "Optional[str]",  # The device that it is about; null where that is left open.
    "devices_done": "int",  # Devices that are done.
    "devices_total": "int",  # Devices that are to be done.
    "done_percent": "float",  # How much is done, from 0 to 100.
    "error": "Optional[str]",  # What went wrong; null where nothing did.
    "finished_at": "Optional[str]",  # When it ended; null before.
    "from": "str",  # Beginning of the window.
    "id": "str",  # Id of the record.
    "notify": "bool",  # Whether events tell of what changes.
    "started_at": "Optional[str]",  # When it was begun; null while it waits.
    "state": "JobState",  # How far the job is.
    "to": "str",  # End of the window.
    "trips_added": "int",  # Trips that are new.
    "trips_changed": "int",  # Trips that are otherwise than before.
    "trips_removed": "int",  # Trips that were dissolved.
})


# A window whose trips are to be derived again.
_RecomputeInput = TypedDict("_RecomputeInput", {
    "from": "str",  # The trips that positions from here on make.
    "to": "str",  # Up to here. The work begins and ends where vehicles rest, so it may reach a little further on both sides.
})


class RecomputeInput(_RecomputeInput, total=False):
    """A window whose trips are to be derived again."""

    connection_id: Optional[str]  # Only devices of this connection.
    device_id: Optional[str]  # Only this device.
    notify: Optional[bool]  # Whether new trips are announced by events too. Changes of trips that were announced before always are. True unless sent.


class _Record(TypedDict):
    """What a program sends of a device. Each type has its own fields, in the shapes in which the interface shows the same."""

    type: RecordType  # What the record is about. Each type has its own fields; those of another are refused.


class Record(_Record, total=False):
    """What a program sends of a device. Each type has its own fields, in the shapes in which the interface shows the same."""

    acceleration_g: Optional[float]  # Of a safety event: along the way, braking below zero.
    active: Optional[bool]  # Of a device or a driver; true where it is left out.
    auxiliary: Optional[bool]  # Of a position: a power take-off or another auxiliary is running.
    auxiliary_seconds: Optional[float]  # Of a trip.
    channel: Optional[str]  # Which of several, such as the number of a probe; of a reading.
    closed_at: Optional[str]  # When a fault was over; last_seen_at where it is left out of a closed one.
    code: Optional[str]  # Of a fault; required.
    description: Optional[str]  # Of a device.
    distance_metres: Optional[float]  # Of a trip, in metres.
    driver_id: Optional[DriverID]  # Who drives, of a position, a trip or a safety event. The format is text.
    driving_seconds: Optional[float]  # Of a trip.
    email: Optional[str]  # Of a driver.
    employee_number: Optional[str]  # Of a driver.
    end_latitude: Optional[float]  # Of a trip, in degrees.
    end_longitude: Optional[float]  # Of a trip, in degrees.
    end_time: Optional[str]  # Of a trip, which is over, where it is required, or of a safety event that lasted.
    first_name: Optional[str]  # Of a driver.
    first_seen_at: Optional[str]  # When a fault began; last_seen_at where it is left out.
    fmi: Optional[int]  # Of a fault of J1939.
    heading: Optional[float]  # Of a position or a safety event, in degrees from north.
    idling_seconds: Optional[float]  # Of a trip.
    ignition: Optional[bool]  # Of a position.
    keys: List[DriverKey]  # What a driver is known by at a vehicle.
    kind: Optional[ReadingKind]  # What a reading measures; required for one.
    lamps: List[Lamp]  # The lamps that are lit for a fault.
    last_name: Optional[str]  # Of a driver.
    last_seen_at: Optional[str]  # When a fault was last seen; required for one.
    lateral_g: Optional[float]  # Of a safety event: to the side.
    latitude: Optional[float]  # Of a position, in degrees, where it is required, or of a safety event.
    licence_number: Optional[str]  # Of a driver.
    licence_region: Optional[str]  # Of a driver.
    longitude: Optional[float]  # Of a position, in degrees, where it is required, or of a safety event.
    make: Optional[str]  # Of a device.
    max_speed_kph: Optional[float]  # Of a safety event.
    media_available: Optional[bool]  # Whether there are pictures of a safety event.
    method: Optional[SafetyMethod]  # How a safety event was found.
    model: Optional[str]  # Of a device.
    name: Optional[str]  # Of a driver; put together from its parts where it is left out.
    native_name: Optional[str]  # What the sender calls the reading; the kind where it is left out.
    native_type: Optional[str]  # The sender's own word for the type of a safety event; the type where it is left out.
    occurrences: Optional[int]  # How often the vehicle has counted a fault.
    odometer_metres: Optional[float]  # Of a position, in metres.
    phone: Optional[str]  # Of a driver.
    protocol: Optional[FaultProtocol]  # The language of a fault's code; unknown where it is left out.
    registration: Optional[str]  # Of a device.
    safety_type: Optional[SafetyType]  # What a safety event is: its type; required for one.
    severity: Optional[FaultSeverity]  # Of a fault or a safety event, which is never critical.
    source: Optional[ReadingSource]  # Who measures or counts; of a reading.
    source_address: Optional[int]  # The control unit that reports a fault.
    speed: Optional[Speed]  # Of a position, in km/h: 0 to 1000.
    speed_kph: Optional[float]  # Of a safety event, at its start.
    speed_limit_kph: Optional[float]  # Of a safety event.
    spn: Optional[int]  # Of a fault of J1939.
    start_latitude: Optional[float]  # Of a trip, in degrees.
    start_longitude: Optional[float]  # Of a trip, in degrees.
    start_time: Optional[str]  # Of a trip or a safety event; required.
    status: Optional[str]  # Of a fault: open, pending or closed. Of a safety event: open, reviewed, dismissed or invalid. Open where it is left out.
    system_device_id: str  # What the sender calls the device; required for all but a driver. One that is not known yet is added.
    system_driver_id: Optional[str]  # What the sender calls the driver, as in driver_id.value of positions and trips; required for a driver.
    system_event_id: Optional[str]  # What the sender calls the safety event, always the same; time and native type where it is left out.
    system_trip_id: Optional[str]  # What the sender calls the trip, always the same; required for a trip.
    timestamp: Optional[str]  # When a position or a reading was measured; required for both.
    value: Optional[float]  # Of a reading, in the unit that the kind names; required.
    year: Optional[int]  # Of a device.


class RecordOutcome(TypedDict):
    """What became of one record."""

    outcome: RecordState  # stored: it is new, or changes what is stored. known: it was there already, and nothing changed. refused: reason says why.
    reason: Optional[str]  # Why the record was refused; null otherwise.


class RecordResult(TypedDict):
    """What became of a batch of records."""

    known: int  # Those that were there already.
    received: int  # Records of the batch.
    records: List[RecordOutcome]  # What became of each record, in the order in which they were sent.
    refused: int  # Those that were not taken.
    stored: int  # Those that are new, or changed what is stored.


# What became of a record.
RecordState = Literal["stored", "known", "refused"]


# What a record is about.
RecordType = Literal["device", "position", "trip", "reading", "driver", "fault", "safety_event"]


class RecoveryCodes(TypedDict):
    """Codes that let a user in without its authenticator app."""

    recovery_codes: List[str]  # Each is good once. They are shown this once, and replace those before.


class RefreshResult(TypedDict):
    """A new access token."""

    access_token: str  # The JWT to send as bearer.
    expires_in: int  # Lifetime of the access token in seconds.
    refresh_token: str  # With a new lifetime; the one that was sent stays valid until its own expiry.
    token_type: str  # Always bearer.


class RefreshToken(TypedDict):
    """What a refresh takes."""

    refresh_token: str  # The JWT that gives new access tokens.
    sub: str  # Id of the user, as a login gave it.


class RegionDistance(TypedDict):
    """How far a vehicle drove in one state, province or country."""

    country: Optional[str]  # The country's code of ISO 3166-1, such as US; null where the region is not known.
    distance_metres: float  # Parts of the trips' distances, as their positions lie.
    name: Optional[str]  # The region's name in English; null where it is not known.
    region: Optional[str]  # The code of ISO 3166-2, such as US-CA, of a state or province of the United States, Canada, Mexico and Australia, and that of the country elsewhere; null for the high seas, and for trips without positions.
    unseen_metres: float  # The part of it that lies between two positions more than 15 minutes apart: in which regions it was driven follows from the straight line between them.


class ReplayInput(TypedDict, total=False):
    """Which deliveries to send again."""

    event_id: Optional[str]  # Id of the event.
    since: Optional[str]  # Deliveries of events since this time that failed or were skipped.


class ReplayResult(TypedDict):
    """How many deliveries are sent again."""

    replayed: int  # Number of deliveries.


class Retention(TypedDict):
    """For how many days things are kept."""

    event_days: Optional[int]  # Days for which events are kept; null is for ever.
    position_days: Optional[int]  # Days for which positions are kept; null is for ever.
    position_event_days: Optional[int]  # Days for which events about positions are kept; null is for ever.


# What a user may do.
Role = Literal["admin", "member", "viewer"]


class RoleRule(TypedDict):
    """Which value of a claim gives which role."""

    role: Role  # What those may do who have it. Of several the mightiest counts.
    value: str  # A value of the claim, such as the name of a group.


class SSOTest(TypedDict):
    """What an identity provider says of itself."""

    algorithms: List[str]  # What it signs tokens with, as far as it is accepted.
    authorization_endpoint: Optional[str]  # Where people sign in.
    ends_sessions: bool  # Whether it can be asked to sign people out.
    error: Optional[str]  # What is wrong; null where nothing is.
    keys: int  # How many keys verify its tokens.
    names_issuer: bool  # Whether its answers name the issuer (RFC 9207).
    ok: bool  # Whether people can be sent there. Whether the client id and its secret are right shows at the first sign-in.


class SafetyEvent(TypedDict):
    """Something dangerous that a provider has seen a driver do, or happen to one."""

    acceleration_g: Optional[float]  # Along the way, braking below zero; null where it is not known.
    connection_id: str  # Id of the connection.
    device_id: str  # Id of the device.
    driver_id: Optional[DriverID]  # Who drove; null where that is not known or not shared.
    end_time: Optional[str]  # Null for what happened at one instant.
    heading: Optional[float]  # Degrees; null where it is not known or not shared.
    id: str  # Id of the record.
    lateral_g: Optional[float]  # To the side, without a sign; null where it is not known.
    latitude: Optional[float]  # Null where it is not known or not shared.
    longitude: Optional[float]  # Null where it is not known or not shared.
    max_speed_kph: Optional[float]  # The highest; null where it is not known.
    media_available: Optional[bool]  # Whether the provider has pictures of it; null where it does not say.
    method: Optional[SafetyMethod]  # How it was found; null where the provider does not say.
    native_type: str  # The provider's own word or rule.
    severity: Optional[SafetySeverity]  # As the provider says; null where it does not.
    speed_kph: Optional[float]  # At the start; null where it is not known.
    speed_limit_kph: Optional[float]  # As the provider knows it; null where it does not.
    start_time: str  # When it began.
    status: SafetyStatus  # What the fleet has made of it at the provider; open where nothing is known.
    system_event_id: str  # The provider's own id or, where it has none, time and type.
    type: SafetyType  # What happened.


# How it was found.
SafetyMethod = Literal["device", "camera", "platform"]


# How bad it was, as the provider says.
SafetySeverity = Literal["low", "medium", "high"]


# What a person at the provider has made of it.
SafetyStatus = Literal["open", "reviewed", "dismissed", "invalid"]


# What kind of dangerous driving it is. Anything else is other.
SafetyType = Literal["harsh_braking", "harsh_acceleration", "harsh_cornering", "speeding", "crash", "drowsiness", "distraction", "tailgating", "seat_belt", "forward_collision", "lane_departure", "camera_obstruction", "phone", "other"]


# What a finding is.
SearchKind = Literal["device", "connection", "trip", "milestone", "driver", "fault", "safety_event"]


class SecondFactor(TypedDict):
    """What a user has besides its password."""

    app: bool  # Whether an authenticator app is set up.
    confirmed_until: Optional[str]  # Until when it is not asked for again in this session; null where it would be.
    enabled: bool  # Whether the user has one.
    passkeys: List[Passkey]  # The user's passkeys, oldest first.
    recovery_codes: int  # How many recovery codes are left.
    required: bool  # Whether the tenant requires it of the user.


# How a session was opened.
SessionKind = Literal["console", "token"]


class SessionView(TypedDict):
    """Who is signed in, and what they may do."""

    api_key: Optional[APIKey]  # Null where a user asks.
    factor_step: Optional[FactorStep]  # What has to be done about the second factor before anything else is answered; null where nothing is.
    permissions: List[Permission]  # What the caller may do.
    preferences: Any  # What the user's own programs keep with it.
    role: Optional[Role]  # Null for an API key with scopes.
    system: SystemView  # How the service runs.
    tenant: TenantName  # The tenant of the caller.
    user: Optional[User]  # Null where an API key asks.
    version: str  # The version of the service.


# Where a value was set.
SettingSource = Literal["default", "tenant", "connection", "device"]


class Share(TypedDict):
    """A connection that is offered to, or shared with, another tenant."""

    accepted_at: Optional[str]  # When the other tenant accepted; null before.
    connection_id: str  # Id of the connection.
    created_at: str  # When it was made.
    expires_at: Optional[str]  # When it ends; null is never.
    id: str  # Id of the record.
    owner_tenant_id: str  # Tenant that owns the connection.
    scopes: List[ShareScope]  # What is shared besides devices and trips.
    state: ShareState  # Whether it is offered, accepted or expired.
    tenant_id: str  # The tenant that it is shared with.


class ShareCode(TypedDict):
    """A one-time code that stops for a tenant in an offer."""

    code: str  # The one-time code to hand to anyone who shares.
    expires_at: str  # When it ends.


class ShareInput(TypedDict, total=False):
    """An offer: to whom, of what, until when."""

    code: Optional[str]  # A one-time code that the other tenant has made, instead of tenant_id.
    expires_at: Optional[str]  # When it ends; null is never.
    scopes: List[ShareScope]  # All, where they are left out.
    tenant_id: Optional[str]  # Tenant to whom it is offered.


# What is shared besides devices and trips.
ShareScope = Literal["positions", "drivers", "readings", "safety"]


# How far a share has come.
ShareState = Literal["offered", "accepted", "expired"]


class _SharedJourney(TypedDict):
    """A journey as people without a login see it."""

    arrival: Optional[ArrivalRange]  # Null while it cannot be known, and after the arrival.
    arrived_at: Optional[str]  # When the device arrived; null until then, and where a deadline ended the journey.
    deadline: Optional[str]  # When the journey is to end; null where that is open.
    destination: Coordinate  # Where the journey ends.
    distance_to_destination_km: Optional[float]  # What remains, straight; null without a position.
    expires_at: str  # When the link ends.
    position: Optional[SharedPosition]  # Null before the vehicle has left the start circle, and after it has arrived.
    progress: float  # The part of the way that is done, 0 to 1.
    status: MilestoneStatus  # How far the journey has come.
    tenant_name: str  # Who shares it.
    updated_at: Optional[str]  # Time of the position.


class SharedJourney(_SharedJourney, total=False):
    """A journey as people without a login see it."""

    brand: Optional[Brand]  # How the tenant shows itself, where it has set that. The stream leaves it out.


class SharedPosition(TypedDict):
    """Where the vehicle of a shared journey is."""

    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    timestamp: str  # When it was.


class _SignInAnswer(TypedDict):
    """What an identity provider sent the browser back with."""

    code: str  # The code that the provider gave.
    state: str  # The state that the provider gave back.
    tenant_id: str  # That of the address to which the provider sent the browser.


class SignInAnswer(_SignInAnswer, total=False):
    """What an identity provider sent the browser back with."""

    iss: Optional[str]  # Where the provider sent it along.


class _SignInInput(TypedDict):
    """A sign-in to begin."""

    code: str  # That of the address where people begin.


class SignInInput(_SignInInput, total=False):
    """A sign-in to begin."""

    return_to: Optional[str]  # The page of the console to show afterwards.


class SignInStart(TypedDict):
    """Where a person signs in."""

    url: str  # The provider's page. The browser is to go there.


class SignOut(TypedDict):
    """What is left to be done after signing out."""

    url: Optional[str]  # Where to end the session at the provider; null where the tenant does not want that, or the provider cannot.


class SignedInView(TypedDict):
    """Who is signed in, what they may do, and the page to show."""

    api_key: Optional[APIKey]  # Null where a user asks.
    factor_step: Optional[FactorStep]  # What has to be done about the second factor before anything else is answered; null where nothing is.
    permissions: List[Permission]  # What the caller may do.
    preferences: Any  # What the user's own programs keep with it.
    return_to: str  # The page of the console to show.
    role: Optional[Role]  # Null for an API key with scopes.
    system: SystemView  # How the service runs.
    tenant: TenantName  # The tenant of the caller.
    user: Optional[User]  # Null where an API key asks.
    version: str  # The version of the service.


class SingleSignOn(TypedDict):
    """How the people of a tenant sign in."""

    client_id: Optional[str]  # The service as the provider knows it; null where it is not set.
    default_role: Optional[Role]  # The role of those whom no rule names; null refuses them.
    email_domains: List[str]  # Only people with a verified address in one of these domains are let in; empty lets in all whom the provider does.
    enabled: bool  # Whether people can sign in by it.
    end_provider_session: bool  # Whether signing out here signs out at the provider too.
    has_client_secret: bool  # Whether a client secret is kept. It is never shown.
    issuer: Optional[str]  # The provider's issuer, as its discovery document names it; null where none is set.
    new_users: NewUsers  # What becomes of people who have no user yet.
    password_login: bool  # Whether people can also sign in with a password.
    redirect_uri: Optional[str]  # What to register at the provider; null where the operator has set no public address.
    role_claim: Optional[str]  # The claim that roles are read from at each sign-in; null where roles are set here.
    roles: List[RoleRule]  # Which values of the claim give which role.
    scopes: List[str]  # What is asked for besides openid.
    session_hours: int  # How long a session lasts at the most until the provider is asked again.
    sign_in_url: Optional[str]  # Where people begin. It cannot be guessed; null before anything is saved.
    trust_email: bool  # Whether addresses in email_domains count as verified of which the provider does not say so. One that it says is not verified never does.


class SingleSignOnUpdate(TypedDict, total=False):
    """A change of single sign-on: only what is sent changes."""

    client_id: Optional[str]  # The service as the provider knows it; null takes it back.
    client_secret: Optional[str]  # Kept sealed, and never shown; null for a public client.
    default_role: Optional[Role]  # The role of those whom no rule names; null refuses them.
    email_domains: List[str]  # Only people with a verified address in one of these domains are let in; empty lets in all.
    enabled: bool  # Whether people can sign in by it.
    end_provider_session: bool  # Whether signing out here signs out at the provider too.
    issuer: Optional[str]  # An https address. A new one drops the client secret, unless that is sent too; null takes it back.
    new_users: NewUsers  # What becomes of people who have no user yet.
    password_login: bool  # False needs an admin who has signed in by the provider.
    role_claim: Optional[str]  # The name of a claim, such as groups, or its way, such as realm_access.roles; null leaves roles as they are set here.
    roles: List[RoleRule]  # Which values of the claim give which role; the list replaces the one before.
    scopes: List[str]  # What is asked for besides openid.
    session_hours: int  # How long a session lasts at the most until the provider is asked again.
    trust_email: bool  # Whether addresses count as verified of which the provider does not say so; true needs email_domains.


class Speed(TypedDict):
    """A speed."""

    speed_kph: float  # Speed in kilometres an hour.


class StateChange(TypedDict):
    """A device that does something else than before."""

    connection_id: str  # Id of the connection.
    device_id: str  # Id of the device.
    previous_state: Optional[DeviceState]  # What it did before; null where that is not known.
    state: DeviceState  # What the device does now.
    state_since: Optional[str]  # Since when; null for a device that was never heard of.


class Stop(TypedDict):
    """A time that a device spent in one place between trips."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running; null where the provider does not report it.
    device_id: str  # Id of the device.
    duration_seconds: float  # How long it lasts: until now while it goes on.
    end_time: Optional[str]  # When it ends; null while it goes on.
    engine_on_seconds: Optional[float]  # Seconds with the engine on; null where it is not known.
    id: str  # Id of the record.
    latitude: Optional[float]  # Latitude in degrees.
    longitude: Optional[float]  # Longitude in degrees.
    start_time: str  # When it began.
    unseen: Optional[Unseen]  # The way after the stop that no position shows and no trip has: the device was seen next elsewhere. Null where there is none. A stop without a duration is where it was last seen before such a way.


class StopActivity(TypedDict):
    """Stops in numbers."""

    auxiliary_seconds: float  # Seconds with an auxiliary running; stops of which it is not known count nothing.
    by_day: List[DayStops]  # A row for each day, oldest first.
    duration_seconds: float  # How long they lasted together, in seconds.
    engine_on_seconds: float  # Seconds with the engine on; stops of which it is not known count nothing.
    stops: int  # Number of stops.


# A window of the past to fill in; empty to collect now.
SyncInput = TypedDict("SyncInput", {
    "from": "Optional[str]",  # Beginning of the window.
    "to": "Optional[str]",  # End of the window.
}, total=False)


class SystemView(TypedDict):
    """How the service runs."""

    database: Literal['embedded', 'postgresql']  # Which database it uses.
    role: Literal['all', 'api', 'worker']  # What the process does that answers.


class TenantCreated(TypedDict):
    """A new tenant with its first user and its first key."""

    admin: Optional[User]  # Null where none was asked for.
    api_key: Optional[APIKeyCreated]  # Null where none was asked for. Its secret is shown this once.
    created_at: str  # When it was made.
    id: str  # Id of the record.
    limits: List[AccountLimit]  # How much the tenant may have, and has.
    name: str  # What it is called.
    state: TenantState  # A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.


class TenantErasure(TypedDict):
    """A tenant that is being erased, and what stays."""

    kept: List[str]  # What is not erased, in words.
    state: TenantState  # How the tenant is from now on.
    tenant_id: str  # Id of the tenant.


class _TenantInput(TypedDict):
    """A tenant to be made."""

    name: str  # Unique among all tenants.


class TenantInput(_TenantInput, total=False):
    """A tenant to be made."""

    admin: Optional[AdminInput]  # A first user, who is an admin of the tenant.
    api_key: Optional[str]  # The name of a first API key, with the role of an admin.
    limits: List[LimitInput]  # Instead of the defaults.


class TenantName(TypedDict):
    """A tenant."""

    id: str  # Id of the record.
    name: str  # What it is called.


# Whether a tenant may use the service.
TenantState = Literal["active", "suspended", "erasing"]


class TenantUpdate(TypedDict, total=False):
    """A change of a tenant: only what is sent changes."""

    limits: List[LimitInput]  # Only those that are named change.
    name: str  # What it is called.
    suspended: bool  # True refuses the tenant's users, keys and streams within a second and pauses collection and deliveries; false lets all of it go on.


# The time use of a month.
TimeUse = TypedDict("TimeUse", {
    "from": "str",  # Beginning of the month.
    "left_out": "List[TimeUseTrip]",  # Trips that count nowhere because they are not valid, oldest first; at most 10,000.
    "month": "str",  # The month, such as 2024-05.
    "time_zone": "str",  # IANA name of the time zone in which the month begins and ends.
    "to": "str",  # End of the month; trips that start before it count.
    "totals": "TimeUseSeconds",  # Sums over all rows.
    "vehicles": "List[TimeUseRow]",  # A row for each vehicle with a valid trip, by registration number and vehicle.
})


class TimeUseRow(TypedDict):
    """The time use of one vehicle."""

    abn: Optional[str]  # Registration number of the business; null where its connection has none.
    auxiliary_seconds: Optional[float]  # Time with an auxiliary running; null where no trip says.
    business_name: str  # Name of the business.
    connection_id: str  # Id of the connection that the vehicle belongs to.
    description: Optional[str]  # Description of the vehicle.
    device_id: str  # Id of the vehicle.
    driving_seconds: Optional[float]  # Time driven; null where no trip says.
    idling_seconds: Optional[float]  # Time idled; null where no trip says.
    registration: Optional[str]  # Plate of the vehicle.
    trips: int  # Number of valid trips that start in the month.
    unknown_trips: int  # Number of those trips that leave one of the times open: the sums lack it.


class TimeUseSeconds(TypedDict):
    """Sums over valid trips."""

    auxiliary_seconds: Optional[float]  # Time with an auxiliary running; null where no trip says.
    driving_seconds: Optional[float]  # Time driven; null where no trip says.
    idling_seconds: Optional[float]  # Time idled; null where no trip says.
    trips: int  # Number of valid trips that start in the month.
    unknown_trips: int  # Number of those trips that leave one of the times open: the sums lack it.


class TimeUseTrip(TypedDict):
    """A trip that was left out of a report."""

    abn: Optional[str]  # Registration number of the business.
    device_id: str  # Id of the vehicle.
    duration_seconds: float  # How long it took.
    end_time: str  # When it ended.
    reason: Optional[str]  # Why it is not valid.
    registration: Optional[str]  # Plate of the vehicle.
    start_time: str  # When the trip started.
    trip_id: str  # Id of the trip.


# The way of a device, with what it did.
Track = TypedDict("Track", {
    "device_id": "str",  # Id of the device.
    "from": "str",  # Beginning of the window.
    "points": "TrackPoints",  # The points of the way.
    "segments": "List[TrackSegment]",  # What the device did, part by part.
    "to": "str",  # End of the window.
    "tolerance_metres": "float",  # By how much a point that was left out may lie beside the line; more than was asked for where there were too many points.
})


# What a device did during a part of its way; nothing is known of a hole.
TrackKind = Literal["driving", "idling", "auxiliary", "stopped", "hole"]


class TrackPoints(TypedDict):
    """The points of a way as one list for each field, of the same length and order."""

    heading: List[Optional[float]]  # Directions of travel in degrees, clockwise from north; null in a place where it is not known.
    latitude: List[float]  # Latitudes in degrees.
    longitude: List[float]  # Longitudes in degrees.
    speed_kph: List[Optional[float]]  # Speeds in kilometres an hour.
    timestamp: List[str]  # Times of the points.


class _TrackSegment(TypedDict):
    """A part of a way during which a device did one thing."""

    end_time: str  # When it ended.
    first: int  # Index of the first point of the segment.
    kind: TrackKind  # What the device did.
    last: int  # Index of the last point of the segment.
    start_time: str  # When it began.


class TrackSegment(_TrackSegment, total=False):
    """A part of a way during which a device did one thing."""

    unseen: Optional[Unseen]  # Of a hole: how far the device got in it, and how that is known.


class TrialPosition(TypedDict):
    """A position that a provider reported on trial."""

    driver_id: Optional[DriverID]  # The driver; null where the provider does not say.
    heading: Optional[float]  # Direction of travel in degrees, clockwise from north; null where it is not known.
    latitude: float  # Latitude in degrees.
    longitude: float  # Longitude in degrees.
    speed: Optional[Speed]  # The speed; null where it is not known.
    system_device_id: str  # The provider's id of the device.
    timestamp: str  # When it was.


class Trip(TypedDict):
    """A recorded journey of a device."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running; null where the provider does not report it.
    device_id: str  # Id of the device.
    distance_metres: Optional[float]  # Distance in metres; null where it is not known.
    driving_seconds: Optional[float]  # Seconds driven; null where the provider does not report it.
    duration_seconds: float  # How long it took, in seconds.
    end_latitude: Optional[float]  # Latitude of the end in degrees.
    end_longitude: Optional[float]  # Longitude of the end in degrees.
    end_time: str  # When it ended.
    id: str  # Id of the record.
    idling_seconds: Optional[float]  # Seconds idled; null where the provider does not report it.
    is_valid: bool  # Whether the trip counts: no rule of the catalogue is broken, unless a person said otherwise.
    start_latitude: Optional[float]  # Latitude of the start in degrees.
    start_longitude: Optional[float]  # Longitude of the start in degrees.
    start_time: str  # When it began.
    system_trip_id: str  # The provider's id of the trip.
    validation_comments: Optional[str]  # Which rules are broken, or what a person said, in words; null where there is nothing to say.


class TripDecision(TypedDict):
    """Why a trip began or ended."""

    cause: str  # ignition, movement, hole or jump for a start; stop, idle, hole or jump for an end; vendor where the provider reported the trip; unknown where it is no longer known.
    positions: List[DetailedPosition]  # The positions that decided, oldest first, as far as they are kept.
    rule: str  # The rule that decided, in words.
    unit: Optional[str]  # What the threshold counts.
    value: Optional[float]  # The rule's threshold.


class TripExplanation(TypedDict):
    """Why a trip began and ended, and what of it no position shows."""

    driver_id: Optional[DriverID]  # Who drove: as the provider says of the trip, else the driver that most of its positions name; null where that is not known, or not shared.
    end: TripDecision  # Why the trip ended.
    start: TripDecision  # Why the trip began.
    trip_id: str  # Id of the trip.
    trips: TripSource  # Whether the provider reported the trip (native) or it was derived from positions.
    unseen: TripUnseen  # What no position shows.
    working_seconds: float  # How much of driving_seconds was slow work: in motion, below the speed from which on a vehicle moves.


class TripRules(TypedDict):
    """Rules by which trips are derived; what is not set is null."""

    gap_seconds: Optional[int]  # Seconds without a position after which a trip ends.
    idle_seconds: Optional[int]  # Seconds of standing with the engine on that count as idling.
    min_distance_metres: Optional[float]  # Metres below which a movement is no trip.
    moving_kph: Optional[float]  # Speed from which on a vehicle moves.
    radius_metres: Optional[float]  # Metres within which a vehicle counts as standing in one place.
    stop_seconds: Optional[int]  # Seconds of standing that end a trip.


class TripRulesUpdate(TypedDict, total=False):
    """A change of rules: only what is sent changes, null unsets."""

    gap_seconds: Optional[int]  # How long a silence ends a trip, unless the vehicle drove through it.
    idle_seconds: Optional[int]  # The same with the engine or an auxiliary running.
    min_distance_metres: Optional[float]  # How far a trip gets away from its start at the least.
    moving_kph: Optional[float]  # From which speed on a vehicle moves. Less for machines that are slow by nature.
    radius_metres: Optional[float]  # How far from its place a vehicle is still in it: twice as far where no speed is known, four times with the ignition off.
    stop_seconds: Optional[int]  # How long a vehicle stops with nothing running until its trip is over.


# Whether trips are the provider's or derived from positions.
TripSource = Literal["native", "derived"]


class TripSums(TypedDict):
    """Trips in numbers."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
    distance_metres: Optional[float]  # Metres, over the valid trips; null where there are some and none of them says it.
    driving_seconds: Optional[float]  # Seconds driven, over the valid trips; null where there are some and none of them says it.
    idling_seconds: Optional[float]  # Seconds idled, over the valid trips; null where there are some and none of them says it.
    trips: int  # Number of trips.
    valid_trips: int  # Number of trips that are valid.


class TripTotals(TypedDict):
    """Trips in numbers."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
    distance_metres: Optional[float]  # Metres, over the valid trips; null where there are some and none of them says it.
    driving_seconds: Optional[float]  # Seconds driven, over the valid trips; null where there are some and none of them says it.
    idling_seconds: Optional[float]  # Seconds idled, over the valid trips; null where there are some and none of them says it.
    last_ended_at: Optional[str]  # When the newest trip ended; null where there is none.
    total: int  # How many there are.
    valid: int  # Number of those that are valid.


class TripUnseen(TypedDict):
    """Which part of a trip no position shows."""

    distance_metres: float  # Metres between the positions on both sides of what no position shows.
    parts: List[Unseen]  # Each hole, as far as the positions are kept.
    seconds: float  # Seconds that no position shows.


class TripUpdate(TypedDict, total=False):
    """What a person says of a trip: only what is sent changes."""

    comment: Optional[str]  # Why: what validation_comments says then.
    is_valid: Optional[bool]  # Whether the trip is valid; null leaves it to the rules again.


class _TripView(TypedDict):
    """A trip with who drove it, or with what the counters show, where that was asked for."""

    auxiliary_seconds: Optional[float]  # Seconds with an auxiliary running; null where the provider does not report it.
    device_id: str  # Id of the device.
    distance_metres: Optional[float]  # Distance in metres; null where it is not known.
    driving_seconds: Optional[float]  # Seconds driven; null where the provider does not report it.
    duration_seconds: float  # How long it took, in seconds.
    end_latitude: Optional[float]  # Latitude of the end in degrees.
    end_longitude: Optional[float]  # Longitude of the end in degrees.
    end_time: str  # When it ended.
    id: str  # Id of the record.
    idling_seconds: Optional[float]  # Seconds idled; null where the provider does not report it.
    is_valid: bool  # Whether the trip counts: no rule of the catalogue is broken, unless a person said otherwise.
    start_latitude: Optional[float]  # Latitude of the start in degrees.
    start_longitude: Optional[float]  # Longitude of the start in degrees.
    start_time: str  # When it began.
    system_trip_id: str  # The provider's id of the trip.
    validation_comments: Optional[str]  # Which rules are broken, or what a person said, in words; null where there is nothing to say.


class TripView(_TripView, total=False):
    """A trip with who drove it, or with what the counters show, where that was asked for."""

    driver_id: Optional[DriverID]  # Who drove; null where that is not known, or not shared. Only with include=driver.
    engine_seconds: Optional[float]  # By how much the counter of engine time grew; null where none shows it. Only with include=readings.
    fuel_used_litres: Optional[float]  # By how much the counter of fuel grew; null where none shows it. Only with include=readings.
    odometer_end_metres: Optional[float]  # The odometer at the end; null where none shows it. It may be of another line than that at the start, after a reset. Only with include=readings.
    odometer_start_metres: Optional[float]  # The odometer at the start; null where none shows it. Only with include=readings.


class Units(TypedDict, total=False):
    """The units in which a provider's numbers are."""

    coordinates: Optional[Literal['lat_lon', 'lon_lat']]  # The order of the provider's coordinates.
    odometer: Optional[Literal['m', 'km', 'miles']]  # The unit of the provider's odometers.
    speed: Optional[Literal['kmh', 'mph', 'knots', 'ms']]  # The unit of the provider's speeds.
    time_offset_minutes: Optional[int]  # How far the provider's times are ahead of UTC.
    trip_distance: Optional[Literal['m', 'km', 'miles']]  # The unit of the distances of the provider's trips.


class Unseen(TypedDict):
    """A part of a way that no position shows."""

    distance_metres: float  # How far the device got meanwhile.
    end_time: str  # When it ended.
    known_by: Literal['straight_line', 'odometer']  # How that is known: by the straight line between the ends, which is the least, or by the odometer.
    start_time: str  # When it began.


class Usage(TypedDict):
    """What a tenant used of the service on a day, for billing."""

    bytes_stored: Optional[int]  # What the tenant's history took when it was last measured on this day; null where it was not.
    date: str  # The day in UTC, such as 2026-03-29.
    deliveries: int  # Webhook calls that were made, also failed ones.
    positions: int  # Positions that were stored for the first time, also of the past.
    requests: int  # Requests of the tenant's users and keys, and of operators in it, that were let in.
    tenant_id: str  # Id of the tenant.


class User(TypedDict):
    """A user of a tenant."""

    created_at: str  # When it was made.
    disabled: bool  # Whether the user is kept out.
    email: str  # E-mail address of the user.
    id: str  # Id of the record.
    role: Role  # What the user or key may do.
    second_factor: bool  # Whether the user has a second factor.
    tenant_id: str  # Id of the tenant that the user belongs to.
    username: str  # Name to sign in with.


class _UserInput(TypedDict):
    """A user to be added."""

    email: str  # E-mail address of the user.
    role: Role  # What the user or key may do.
    username: str  # Name to sign in with.


class UserInput(_UserInput, total=False):
    """A user to be added."""

    password: Optional[str]  # 8 to 1024 bytes. It may be left out where people sign in by the tenant's own provider: the first verified sign-in with the address is then the user's.


class UserSession(TypedDict):
    """A session of the caller."""

    created_at: str  # When it was made.
    current: bool  # Whether the caller uses it.
    expires_at: str  # When it ends.
    id: str  # Id of the record.
    kind: SessionKind  # What the session is proved by.


class UserUpdate(TypedDict, total=False):
    """A change of a user: only what is sent changes."""

    disabled: bool  # Whether the user is kept out.
    email: str  # E-mail address of the user.
    password: str  # 8 to 1024 bytes. All sessions of the user end.
    role: Role  # What the user or key may do.
    username: str  # Name to sign in with.


class _UsernamePassword(TypedDict):
    """What a login takes."""

    password: str  # The password.
    username: str  # A username or an e-mail address.


class UsernamePassword(_UsernamePassword, total=False):
    """What a login takes."""

    code: str  # Six digits of the authenticator app, or a recovery code. Only users with a second factor need it: without it they are answered 401 with X-Second-Factor.
    passkey: Optional[PasskeyProof]  # What a passkey has signed, in place of the code. POST /session/passkey/start gives the challenge.


class Webhook(TypedDict):
    """A target to which events are sent."""

    created_at: str  # When it was made.
    enabled: bool  # Whether events are sent.
    error_count: int  # Failed attempts since the last success.
    filters: WebhookFilters  # Which events are sent.
    id: str  # Id of the record.
    last_error: Optional[str]  # The newest error in words; null where there was none.
    last_error_at: Optional[str]  # When it was.
    options: WebhookOptions  # What is added to positions.
    updated_at: str  # When it was last changed.
    url: str  # Address to which events are sent.


class WebhookCounts(TypedDict):
    """Webhooks in numbers."""

    enabled: int  # Number of webhooks that are enabled.
    failing: int  # Number of those that fail.
    total: int  # How many there are.


class WebhookCreated(TypedDict):
    """A new webhook with its secret, which is shown this once."""

    created_at: str  # When it was made.
    enabled: bool  # Whether events are sent.
    error_count: int  # Failed attempts since the last success.
    filters: WebhookFilters  # Which events are sent.
    id: str  # Id of the record.
    last_error: Optional[str]  # The newest error in words; null where there was none.
    last_error_at: Optional[str]  # When it was.
    options: WebhookOptions  # What is added to positions.
    secret: str  # The secret that signs deliveries.
    updated_at: str  # When it was last changed.
    url: str  # Address to which events are sent.


class WebhookDisabled(TypedDict):
    """A target that was switched off: one of the two records, and why."""

    milestone: Optional[Milestone]  # The milestone; null where it was a webhook.
    reason: str  # Why, in words.
    webhook: Optional[Webhook]  # The webhook; null where it was a milestone's.


class _WebhookFilters(TypedDict):
    """Which events a webhook receives; empty lists do not narrow."""

    connection_devices: List[ConnectionDevices]  # Devices by the provider's ids.
    connection_ids: List[str]  # Only events about these connections and their devices.
    device_ids: List[str]  # Only events about these devices.
    tags: List[str]  # Only events about devices or connections with one of these tags.


class WebhookFilters(_WebhookFilters, total=False):
    """Which events a webhook receives; empty lists do not narrow."""

    event_types: List[EventType]  # Only these types of event; absent where all are sent.
    reading_kinds: List[ReadingKind]  # The kinds of readings that reading.updated has; absent where it is not sent.


class WebhookFiltersInput(TypedDict, total=False):
    """Which events a webhook receives; what is left out does not narrow."""

    connection_devices: List[ConnectionDevicesInput]  # Devices by the provider's ids.
    connection_ids: List[str]  # Only events about these connections and their devices.
    device_ids: List[str]  # Only events about these devices.
    event_types: List[EventType]  # Only these types of event; all where it is left out or empty.
    reading_kinds: List[ReadingKind]  # Send reading.updated, with these kinds of readings; it is not sent where this is left out or empty.
    tags: List[str]  # Only events about devices or connections with one of these tags.


class WebhookHour(TypedDict):
    """How the deliveries to a webhook went in one hour."""

    attempts: int  # How many attempts were made.
    failures: int  # Attempts that failed.
    hour: str  # Its beginning.
    p95_ms: Optional[int]  # Nineteen of twenty attempts took no longer, in milliseconds.


class _WebhookInput(TypedDict):
    """A webhook to be made."""

    url: str  # Address to which events are sent.


class WebhookInput(_WebhookInput, total=False):
    """A webhook to be made."""

    enabled: Optional[bool]  # Whether events are sent.
    filters: Optional[WebhookFiltersInput]  # Which events are sent.
    options: Optional[WebhookOptionsInput]  # What is added to positions.


class WebhookOptions(TypedDict):
    """What is added to each position that a webhook receives."""

    include_driver_id: bool  # Whether positions have driver_id.
    include_speed: bool  # Whether positions have speed.


class WebhookOptionsInput(TypedDict, total=False):
    """What to add to each position that a webhook receives."""

    include_driver_id: bool  # Whether positions have driver_id.
    include_speed: bool  # Whether positions have speed.


class WebhookSecret(TypedDict):
    """The secret that signs deliveries."""

    previous_expires_at: Optional[str]  # Until when the secret before signs too; null where there is none.
    secret: str  # The secret that signs deliveries.


class WebhookStats(TypedDict):
    """How the deliveries to a webhook went."""

    attempts: int  # How many attempts were made.
    held: bool  # Five attempts or more have failed in a row: deliveries are held back, and tried one at a time.
    held_until: Optional[str]  # Until when the receiver has asked not to be called; null where it has not.
    hours: List[WebhookHour]  # The hours with attempts, oldest first.
    p95_ms: Optional[int]  # Within this time 95 of 100 attempts ended, rounded up to 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 or 15000.
    pending: int  # Deliveries that wait.
    success_rate: Optional[float]  # The part of them that succeeded, 0 to 1; null where there were none.


class WebhookTestData(TypedDict):
    """The data of a test delivery, which is no event."""

    message: str  # Says that it is a test.
    webhook_id: str  # Id of the webhook.


class WebhookUpdate(TypedDict, total=False):
    """A change of a webhook: only what is sent changes."""

    enabled: bool  # Whether events are sent.
    filters: Optional[WebhookFiltersInput]  # Which events are sent.
    options: Optional[WebhookOptionsInput]  # What is added to positions.
    url: str  # Address to which events are sent.


class _WebhookView(TypedDict):
    """A webhook with what is asked of it."""

    created_at: str  # When it was made.
    enabled: bool  # Whether events are sent.
    error_count: int  # Failed attempts since the last success.
    filters: WebhookFilters  # Which events are sent.
    id: str  # Id of the record.
    last_error: Optional[str]  # The newest error in words; null where there was none.
    last_error_at: Optional[str]  # When it was.
    options: WebhookOptions  # What is added to positions.
    updated_at: str  # When it was last changed.
    url: str  # Address to which events are sent.


class WebhookView(_WebhookView, total=False):
    """A webhook with what is asked of it."""

    stats: WebhookStats  # Only with include=stats.


class ConnectionDelivery(TypedDict):
    """The body of a delivery."""

    data: Connection  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.created', 'connection.deleted', 'connection.updated']  # What happened.


class ConnectionDoubtDelivery(TypedDict):
    """The body of a delivery."""

    data: ConnectionDoubt  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.doubtful', 'connection.trusted']  # What happened.


class ConnectionFailureDelivery(TypedDict):
    """The body of a delivery."""

    data: ConnectionFailure  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.failing', 'connection.recovered']  # What happened.


class CoverageLossDelivery(TypedDict):
    """The body of a delivery."""

    data: CoverageLoss  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['connection.coverage_lost']  # What happened.


class DeviceDelivery(TypedDict):
    """The body of a delivery."""

    data: Device  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['device.created', 'device.updated']  # What happened.


class DriverNoticeDelivery(TypedDict):
    """The body of a delivery."""

    data: DriverNotice  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['driver.created', 'driver.updated']  # What happened.


class FaultDelivery(TypedDict):
    """The body of a delivery."""

    data: Fault  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['fault.closed', 'fault.opened']  # What happened.


class MilestoneDelivery(TypedDict):
    """The body of a delivery."""

    data: Milestone  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.created', 'milestone.deleted', 'milestone.updated']  # What happened.


class MilestoneLatenessDelivery(TypedDict):
    """The body of a delivery."""

    data: MilestoneLateness  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.late', 'milestone.on_time_again']  # What happened.


class MilestoneStepDelivery(TypedDict):
    """The body of a delivery."""

    data: MilestoneStep  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['milestone.ended', 'milestone.entered', 'milestone.started', 'milestone.timed_out']  # What happened.


class PositionUpdatedDelivery(TypedDict):
    """The body of a delivery."""

    data: PositionUpdatedData  # New positions of one connection as a webhook receives them.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['position.updated']  # What happened.


class ReadingBatchDelivery(TypedDict):
    """The body of a delivery."""

    data: ReadingBatch  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['reading.updated']  # What happened.


class SafetyEventDelivery(TypedDict):
    """The body of a delivery."""

    data: SafetyEvent  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['safety_event.recorded', 'safety_event.updated']  # What happened.


class StateChangeDelivery(TypedDict):
    """The body of a delivery."""

    data: StateChange  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['device.state_changed']  # What happened.


class TripDelivery(TypedDict):
    """The body of a delivery."""

    data: Trip  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['trip.completed', 'trip.updated']  # What happened.


class WebhookDisabledDelivery(TypedDict):
    """The body of a delivery."""

    data: WebhookDisabled  # What the event says, by its type.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: int  # Number of the event in the tenant's feed.
    timestamp: str  # When it was.
    type: Literal['webhook.disabled']  # What happened.


class WebhookTestDelivery(TypedDict):
    """The body of a delivery."""

    data: WebhookTestData  # The data of a test delivery, which is no event.
    id: str  # webhook-id of its headers, which is the same for every attempt.
    sequence: None  # A test is no event.
    timestamp: str  # When it was.
    type: Literal['webhook.test']  # What happened.


# One entry of a tenant's change feed; type says what data is.
Event = Union[DeviceEvent, DeviceStateEvent, PositionEvent, ReadingEvent, FaultEvent, SafetyEventEvent, TripEvent, DriverEvent, MilestoneEvent, MilestoneStepEvent, MilestoneLatenessEvent, ConnectionEvent, ConnectionFailureEvent, ConnectionDoubtEvent, CoverageLossEvent, WebhookDisabledEvent]


# What a webhook receives; type says what data is.
Delivery = Union[ConnectionDelivery, ConnectionDoubtDelivery, ConnectionFailureDelivery, CoverageLossDelivery, DeviceDelivery, DriverNoticeDelivery, FaultDelivery, MilestoneDelivery, MilestoneLatenessDelivery, MilestoneStepDelivery, PositionUpdatedDelivery, ReadingBatchDelivery, SafetyEventDelivery, StateChangeDelivery, TripDelivery, WebhookDisabledDelivery, WebhookTestDelivery]
