"""A whole journey by this client alone, for the end-to-end tests and as a larger example:

    python3 journey.py URL USERNAME PASSWORD CONNECTION

CONNECTION is the body of a connection as JSON, such as drover sandbox prints it.
"""

import datetime
import json
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from drover_client import Client, parse_delivery

PATIENCE = 300


def receiver():
    """Receives deliveries: an address, and a queue of their headers and bodies."""
    received = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put((dict(self.headers), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d/hook" % server.server_address[1], received


def until(read, what):
    """Asks again until there is an answer."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = read()
        if found:
            return found
        time.sleep(0.1)
    raise TimeoutError("no %s within %d seconds" % (what, PATIENCE))


def read_on(client, copied, cursor):
    """Brings a copy of the trips up to date, and returns where to go on."""
    for page in client.changes("/trip", cursor):
        assert page.restart == (cursor is None), "the copy begins again, although it has a cursor"
        copied.update((trip["id"], trip) for trip in page.changed)
        for gone in page.deleted:
            copied.pop(gone, None)
        cursor = page.cursor
    return cursor


def main(url, username, password, connection):
    client = Client(url)
    client.login(username, password)

    body = json.loads(connection)
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=36)
    connected = client.post_connection({**body, "collection_start_time": start.isoformat()})
    devices = until(lambda: list(client.list_devices(connection_id=connected["id"])), "devices")
    trips = until(lambda: list(client.list_trips(connection_id=connected["id"])), "trips")

    copied, cursor = {}, None

    def settled(equal):
        nonlocal cursor
        cursor = read_on(client, copied, cursor)
        return equal()

    until(lambda: settled(lambda: set(copied) == {trip["id"] for trip in client.list_trips()}), "copy of the trips")

    address, received = receiver()
    webhook = client.post_webhook({"url": address, "filters": {"device_ids": [devices[0]["id"]], "event_types": ["milestone.created"]}})
    newest = next(client.list_events(order="desc", limit=1))
    milestone = client.post_milestone({
        "device_id": devices[0]["id"],
        "start_point": {"latitude": -33.86, "longitude": 151.2},
        "end_point": {"latitude": -33.9, "longitude": 151.1},
        "start_time": datetime.datetime.now(datetime.timezone.utc).isoformat(),
    })

    headers, delivered = received.get(timeout=PATIENCE)
    delivery = parse_delivery(webhook["secret"], headers, delivered)
    assert delivery["type"] == "milestone.created" and delivery["data"]["id"] == milestone["id"], delivered
    event = next(client.get_stream(after=newest["sequence"], device_id=[devices[0]["id"]], type=["milestone.created"]))
    assert event["data"]["id"] == milestone["id"], event

    update = client.get_milestone_update(milestone["id"])
    assert update["device_id"] == devices[0]["id"], update
    client.delete_milestone(milestone["id"])
    client.delete_webhook(webhook["id"])
    client.delete_connection(connected["id"], purge=True)
    until(lambda: settled(lambda: not any(trip["id"] in copied for trip in trips)), "copy without the trips that are gone")
    print("%d devices, %d trips" % (len(devices), len(trips)))


if __name__ == "__main__":
    main(*sys.argv[1:])
