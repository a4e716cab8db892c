"""Checked by mypy, never run: what a type checker must know of the client."""

from typing import Dict, List, Optional

from drover_client import Client, parse_delivery, types


def narrowed(event: types.Event) -> str:
    if event["type"] == "trip.completed" or event["type"] == "trip.updated":
        trip: types.Trip = event["data"]
        return trip["id"]
    if event["type"] == "position.updated":
        return event["data"]["positions"][0]["device_id"]
    return ""


def delivered(secret: str, body: bytes) -> str:
    delivery = parse_delivery(secret, {}, body)
    if delivery["type"] == "webhook.test":
        return delivery["data"]["message"]
    if delivery["type"] == "milestone.started":
        return delivery["data"]["status"]
    return delivery["id"]


def copied(client: Client, trips: Dict[str, types.TripView]) -> Optional[str]:
    client.changes("/webhook")  # type: ignore[call-overload]
    cursor = None
    for page in client.changes("/trip"):
        trips.update((trip["id"], trip) for trip in page.changed)
        cursor = page.cursor
    return cursor


def deleted(row: types.DeletedRecord) -> str:
    return row["deleted_at"]


def listed(client: Client) -> List[types.TripView]:
    client.list_trips(is_valid="yes")  # type: ignore[arg-type]
    client.list_trips(is_vaild=True)  # type: ignore[call-arg]
    client.list_events(type=["trip.ended"])  # type: ignore[list-item]
    return list(client.list_trips(is_valid=True, limit=10, cursor="kept"))
