"""Tests of the client against a small service, and the example of the README."""

import base64
import datetime
import hashlib
import hmac
import inspect
import io
import json
import pathlib
import re
import socket
import threading
import typing
import unittest
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from drover_client import Client, Refusal, __version__, parse_delivery, types, verify
from drover_client._operations import Operations

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


class Service:
    """Answers with the functions given, by method and path."""

    def __init__(self, answers):
        service = self
        self.seen = []

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(length)
                path, _, self.query = self.path.partition("?")
                service.seen.append((self.command, path, self.query, dict(self.headers), self.body))
                status, headers, body = answers[self.command + " " + path](len(service.seen), self)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                if len(body) < int(dict(headers).get("Content-Length", 0)):
                    self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def data(value, **headers):
    return 200, headers, json.dumps({"data": value}).encode()


def refuse(status, message, **headers):
    return status, headers, json.dumps({"error": {"code": status, "message": message}}).encode()


class ClientTest(unittest.TestCase):
    def serve(self, answers):
        service = Service(answers)
        self.addCleanup(service.close)
        return service

    def test_a_copy_is_kept(self):
        def answer(n, handler):
            cursor = urllib.parse.parse_qs(handler.query).get("cursor", [""])[0]
            if cursor == "old":
                return 410, {}, b'{"error":{"code":410,"message":"take a new snapshot"}}'
            if not cursor:
                return 200, {"X-Next-Cursor": "one", "Link": '<more>; rel="next"'}, b'{"data":[{"id":"a"},{"id":"b"}]}'
            return 200, {"X-Next-Cursor": "two"}, b'{"data":[{"id":"a","deleted_at":"2024-05-02T10:15:30Z"}]}'

        client = Client(self.serve({"GET /trip": answer}).url, api_key="key")
        for cursor in (None, "old"):
            trips = {"stale": {}}
            for page in client.changes("/trip", cursor):
                if page.restart:
                    trips.clear()
                trips.update((trip["id"], trip) for trip in page.changed)
                for gone in page.deleted:
                    trips.pop(gone, None)
                cursor = page.cursor
            self.assertEqual((list(trips), cursor), (["b"], "two"))

    def test_token_is_renewed(self):
        service = self.serve({
            "POST /token": lambda n, r: data({"access_token": "old", "refresh_token": "r", "sub": "s"}),
            "POST /refresh": lambda n, r: data({"access_token": "new"}),
            "GET /device/1": lambda n, r: data({"id": "1"}) if r.headers["Authorization"] == "Bearer new" else refuse(401, "JWT has expired"),
        })
        client = Client(service.url)
        client.login("demo", "secret")
        self.assertEqual(client.get_device("1"), {"id": "1"})
        self.assertEqual(json.loads(service.seen[2][4]), {"sub": "s", "refresh_token": "r"})

    def test_list_goes_through_pages(self):
        service = self.serve({
            "GET /device": lambda n, r: data([{"id": 3}]) if "cursor=c" in r.query else data([{"id": 1}, {"id": 2}], **{"X-Next-Cursor": "c"}),
        })
        found = [d["id"] for d in Client(service.url, api_key="drv_key").list_devices(tag="cold")]
        self.assertEqual(found, [1, 2, 3])
        self.assertEqual(service.seen[1][3]["Authorization"], "Bearer drv_key")
        self.assertIn("tag=cold", service.seen[1][2])

    def test_list_goes_on_past_empty_pages(self):
        # By the cursor asked for: the next one, whether a next page is linked, and the page.
        pages = {"kept": ("a", True, []), "a": ("b", True, [{"sequence": 7}]), "b": ("c", True, []), "c": ("d", False, [{"sequence": 9}]), "d": ("e", False, [])}
        asked = []

        def answer(n, request):
            asked.append(urllib.parse.parse_qs(request.query)["cursor"][0])
            cursor, more, page = pages[asked[-1]]
            return data(page, **{"X-Next-Cursor": cursor}, **({"Link": '</event>; rel="next"'} if more else {}))

        headers = {}
        found = [e["sequence"] for e in Client(self.serve({"GET /event": answer}).url).list_events(cursor="kept", answer=headers)]
        self.assertEqual((found, asked, headers["x-next-cursor"]), ([7, 9], ["kept", "a", "b", "c", "d"], "e"))

    def test_list_ends_where_a_cursor_stays(self):
        service = self.serve({"GET /event": lambda n, r: data([{"sequence": 1}] if n == 1 else [], **{"X-Next-Cursor": "1", "Link": '</event>; rel="next"'})})
        self.assertEqual(len(list(Client(service.url).list_events())), 1)
        self.assertEqual(len(service.seen), 2)

    def test_patch_is_repeated_where_nothing_was_done(self):
        for status, calls in ((429, 2), (503, 1)):
            service = self.serve({"PATCH /device/1": lambda n, r: refuse(status, "not now", **{"Retry-After": "0"}) if n == 1 else data({"id": "1"})})
            try:
                Client(service.url, sleep=lambda s: None).patch_device("1", {"year": 2020})
            except Refusal as refusal:
                self.assertEqual(refusal.status, 503)
            self.assertEqual(len(service.seen), calls)

    def test_waits_are_spread(self):
        service, first = self.serve({"GET /device/1": lambda n, r: refuse(503, "busy")}), set()
        for _ in range(10):
            waits = []
            with self.assertRaises(Refusal):
                Client(service.url, sleep=waits.append).get_device("1")
            for wait, least in zip(waits, (0.2, 0.4, 0.8)):
                self.assertTrue(least <= wait <= 1.5 * least, waits)
            first.add(waits[0])
        self.assertGreater(len(first), 1)

    def test_user_agent(self):
        service = self.serve({"GET /device/1": lambda n, r: data({"id": "1"})})
        Client(service.url).get_device("1")
        Client(service.url, opener=urllib.request.build_opener()).get_device("1")
        self.assertEqual({seen[3]["User-Agent"] for seen in service.seen}, {"drover-python/" + __version__})

    def test_post_is_repeated_under_one_key(self):
        service = self.serve({"POST /webhook": lambda n, r: refuse(503, "busy", **{"Retry-After": "0"}) if n == 1 else data({})})
        Client(service.url, sleep=lambda s: None).post_webhook({"url": "x"})
        keys = {seen[3]["Idempotency-Key"] for seen in service.seen}
        self.assertEqual((len(service.seen), len(keys)), (2, 1))

    def test_refusal(self):
        service = self.serve({"GET /device/1": lambda n, r: refuse(404, "Device with ID 1 not found", **{"X-Request-Id": "r1", "X-Required-Scope": "drivers"})})
        with self.assertRaises(Refusal) as caught:
            Client(service.url).get_device("1")
        refused = caught.exception
        self.assertEqual((refused.status, str(refused), refused.request_id, refused.required_scope), (404, "Device with ID 1 not found", "r1", "drivers"))
        self.assertEqual(len(service.seen), 1)

    def test_silent_service(self):
        self.assertEqual(Client("http://drover.example").timeout, 60)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = Client("http://127.0.0.1:%d" % silent.getsockname()[1], sleep=lambda s: None, timeout=0.02)
            with self.assertRaises(OSError):
                client.get_device("1")

    def test_stream_goes_on_where_it_was_cut(self):
        service = self.serve({"GET /stream": lambda n, r: (200, {}, b': hello\n\nid: %d\nevent: x\ndata: {"sequence": %d}\n\n' % (n + 4, n + 4))})
        events = Client(service.url, sleep=lambda s: None).get_stream(after=4)
        self.assertEqual([next(events)["sequence"] for _ in range(3)], [5, 6, 7])
        self.assertEqual([seen[3]["Last-Event-Id"] for seen in service.seen], ["4", "5", "6"])

    def test_stream_of_a_link_ends_with_it(self):
        service = self.serve({"GET /public/share/t/stream": lambda n, r: (200, {}, b'event: update\ndata: {"status": "x"}\n\nevent: end\ndata: {}\n\n')})
        self.assertEqual(list(Client(service.url).get_shared_journey_stream("t")), [{"status": "x"}])

    def test_download_asks_for_the_rest(self):
        content = b"0123456789" * 1000
        service = self.serve({"GET /export/1/file": lambda n, r: (200, {"Content-Length": "10000"}, content[:4000]) if n == 1 else (206, {}, content[4000:])})
        out = io.BytesIO()
        self.assertEqual(Client(service.url).get_export_file("1", out), 10000)
        self.assertEqual(out.getvalue(), content)
        self.assertEqual([seen[3].get("Range") for seen in service.seen], [None, "bytes=4000-"])

    def test_parameters(self):
        service = self.serve({"GET /trip": lambda n, r: data([])})
        day = datetime.datetime(2024, 5, 1, tzinfo=datetime.timezone.utc)
        self.assertEqual(list(Client(service.url).list_trips(is_valid=False, from_=day)), [])
        self.assertEqual(urllib.parse.parse_qs(service.seen[0][2]), {"is_valid": ["false"], "from": ["2024-05-01T00:00:00+00:00"]})

    def test_record_that_has_not_changed(self):
        service = self.serve({"GET /device/1": lambda n, r: (304, {"Content-Length": "0"}, b"")})
        self.assertIsNone(Client(service.url).get_device("1", headers={"If-None-Match": '"a"'}))

    def test_headers_of_a_call(self):
        service = self.serve({
            "GET /device/1": lambda n, r: data({"id": "1"}, ETag='"a"'),
            "PATCH /device/1": lambda n, r: refuse(412, "The record has changed since it was read"),
            "POST /webhook": lambda n, r: data({"id": "2"}),
            "GET /device": lambda n, r: data([{"id": "1"}], ETag='"page"'),
        })
        client, answer = Client(service.url), {"left": "over"}
        client.get_device("1", answer=answer)
        self.assertEqual((answer["etag"], "left" in answer), ('"a"', False))
        with self.assertRaises(Refusal) as refused:
            client.patch_device("1", {"year": 2020}, headers={"If-Match": answer["etag"]})
        self.assertEqual(refused.exception.status, 412)
        client.post_webhook({"url": "https://x.example"}, headers={"Idempotency-Key": "mine"})
        self.assertEqual([service.seen[1][3]["If-Match"], service.seen[2][3]["Idempotency-Key"]], ['"a"', "mine"])
        list(client.list_devices(answer=answer))
        self.assertEqual(answer["etag"], '"page"')

    def test_calls_through_an_opener(self):
        service = self.serve({"GET /device/1": lambda n, r: data({"id": "1"})})
        opener = urllib.request.build_opener()
        opener.addheaders = [("User-Agent", "fleet-report/1")]
        Client(service.url, opener=opener).get_device("1")
        self.assertEqual(service.seen[0][3]["User-Agent"], "fleet-report/1")

    def test_verify(self):
        body, key = b'{"type":"trip.completed"}', base64.b64decode(SECRET[6:])
        signature = base64.b64encode(hmac.new(key, b"id.1714644930." + body, hashlib.sha256).digest()).decode()
        headers = {"Webhook-Id": "id", "Webhook-Timestamp": "1714644930", "Webhook-Signature": "v1,other v1," + signature}
        verify(SECRET, headers, body, now=1714644930 + 300)
        for secret, sent, now in ((SECRET, body, 1714644930 + 301), (SECRET, body + b" ", 1714644930), ("whsec_YWJj", body, 1714644930), ("whsec_", body, 1714644930)):
            with self.assertRaises(ValueError):
                verify(secret, headers, sent, now=now)
        for wrong in ("v1,\u00e9\u00e9", "v1,", "\udce9", ""):  # a header may hold any byte
            with self.assertRaisesRegex(ValueError, "not signed with the secret"):
                verify(SECRET, {**headers, "Webhook-Signature": wrong}, body, now=1714644930)
        verify(SECRET, {**headers, "Webhook-Signature": "\u00e9 v1," + signature}, body, now=1714644930)
        with self.assertRaisesRegex(ValueError, "too far from now"):
            verify(SECRET, {**headers, "Webhook-Timestamp": "\u00b2"}, body, now=1714644930)
        with self.assertRaisesRegex(ValueError, "not signed"):
            verify(SECRET, {**headers, "Webhook-Id": "\udce9"}, body, now=1714644930)

    def test_parse_delivery(self):
        body, key = b'{"type":"trip.completed","timestamp":"2024-05-02T10:15:30Z","sequence":7,"data":{"id":"t1"}}', base64.b64decode(SECRET[6:])
        signature = base64.b64encode(hmac.new(key, b"e1.1714644930." + body, hashlib.sha256).digest()).decode()
        headers = {"Webhook-Id": "e1", "Webhook-Timestamp": "1714644930", "Webhook-Signature": "v1," + signature}
        delivery = parse_delivery(SECRET, headers, body, now=1714644930)
        self.assertEqual((delivery["id"], delivery["type"], delivery["sequence"], delivery["data"]), ("e1", "trip.completed", 7, {"id": "t1"}))
        with self.assertRaises(ValueError):
            parse_delivery("whsec_YWJj", headers, body, now=1714644930)

    def test_example_of_the_readme(self):
        service = self.serve({"GET /trip": lambda n, r: data([{"id": "1", "distance_metres": 15230.4}])})
        text = (pathlib.Path(__file__).parent / "README.md").read_text()
        code = re.search(r"```python\n(.*?)```", text, re.S).group(1)
        printed = []
        exec(code.replace("https://drover.example", service.url), {"print": lambda *words: printed.append(words)})
        self.assertEqual(printed, [("1", 15230.4)])


class TypesTest(unittest.TestCase):
    def test_every_name_is_known(self):
        methods = [m for m in vars(Operations).values() if callable(m)]
        self.assertGreater(len(methods), 100)
        for method in methods:
            known = set(typing.get_type_hints(method))
            self.assertEqual(known, set(inspect.signature(method).parameters) - {"self"} | {"return"}, method.__name__)
        records = [r for r in vars(types).values() if isinstance(r, type) and issubclass(r, dict)]
        self.assertGreater(len(records), 100)
        for record in records:
            self.assertEqual(set(record.__annotations__), set(typing.get_type_hints(record)) & set(record.__annotations__))

    def test_events_by_their_type(self):
        data = {typ: typing.get_type_hints(one)["data"] for one in typing.get_args(types.Event) for typ in typing.get_args(typing.get_type_hints(one)["type"])}
        self.assertEqual(set(data), set(typing.get_args(types.EventType)))
        self.assertIs(data["trip.completed"], types.Trip)
        sent = {typ for one in typing.get_args(types.Delivery) for typ in typing.get_args(typing.get_type_hints(one)["type"])}
        self.assertEqual(sent, set(data) | {"webhook.test"})

    def test_what_may_be_absent(self):
        counters = {"engine_seconds", "fuel_used_litres", "odometer_start_metres", "odometer_end_metres"}
        self.assertEqual({"driver_id"} | counters, set(types.TripView.__optional_keys__))
        self.assertIn("is_valid", types.TripView.__required_keys__)
        self.assertEqual(typing.Optional[types.DriverID], typing.get_type_hints(types.TripView)["driver_id"])


if __name__ == "__main__":
    unittest.main()
