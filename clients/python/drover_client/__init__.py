"""Calls a drover service, with nothing but the standard library.

A login or an API key, lists page by page, calls that are repeated where that is safe,
the live stream, which goes on where it was cut, files, and webhooks' signatures. There
is a method for each operation, named as in the OpenAPI document: list_devices for
listDevices.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from ._operations import Operations

__all__ = ["Client", "Refusal", "verify"]

_ATTEMPTS = 4
_FIRST_WAIT = 0.2
_MAX_WAIT = 30.0
_TOLERANCE = 300  # seconds by which a delivery's time may differ from now


class Refusal(Exception):
    """An error of the service: its status, its words and, of a 422, the place."""

    def __init__(self, status, message, loc=None, type=None, retry_after=None):
        place = ".".join(str(part) for part in loc) + ": " if loc else ""
        super().__init__(place + message)
        self.status, self.message, self.loc, self.type, self.retry_after = status, message, loc, type, retry_after


class Client(Operations):
    """Calls one service. It is safe for use by several threads.

    An opener of urllib.request, such as one with a proxy or certificates of its own,
    makes the calls where it is given."""

    def __init__(self, base, api_key=None, tokens=None, timeout=60, sleep=time.sleep, opener=None):
        self.base = base.rstrip("/")
        self.timeout = timeout
        self._urlopen = opener.open if opener else urllib.request.urlopen
        self._sleep = sleep
        self._lock = threading.Lock()
        #: The tokens in use, to keep them and give them to another Client.
        self.tokens = {"access_token": api_key} if api_key else dict(tokens or {})

    def login(self, username, password):
        """Logs in with a username or an e-mail address and a password."""
        self.tokens = {}
        self.tokens = self.post_token({"username": username, "password": password})

    def call(self, method, path, query=None, body=None, headers=None, answer=None):
        """Makes a call and returns what its answer has under data, None where there is
        nothing: of a DELETE, and of a record that has not changed since its ETag.
        A dict that is given as answer takes the answer's headers, with names in lower
        case: answer["etag"]."""
        with self._open(method, path, query, body, headers or {}) as response:
            text = response.read()
            _note(response, answer)
        return json.loads(text)["data"] if text else None

    def list(self, path, query=None, headers=None, answer=None):
        """Goes through a list page by page, as long as the loop goes on. The answer's
        headers are those of the newest page."""
        query = dict(query or {})
        while True:
            with self._open("GET", path, query, None, headers or {}) as response:
                page, cursor = json.load(response)["data"], response.headers.get("x-next-cursor")
                _note(response, answer)
            yield from page
            if not cursor or not page:  # a feed has a cursor at its end too
                return
            query["cursor"] = cursor

    def get_stream(self, after=None, *, connection_id=None, tag=None, device_id=None, type=None):
        """GET /stream: follows the events after a sequence, from now on without one.
        Where it is cut it goes on, so that no event is missed and none comes twice;
        without a sequence that holds from the first event or heartbeat on."""
        query = {"connection_id": connection_id, "tag": tag, "device_id": device_id, "type": type}
        return self._follow("/stream", query, after)

    def get_shared_journey_stream(self, share_token):
        """GET /public/share/{share_token}/stream: follows a shared journey until its link ends."""
        return self._follow("/public/share/" + urllib.parse.quote(share_token, safe="") + "/stream", None, None)

    def get_export_file(self, export_id, file):
        """GET /export/{export_id}/file: writes the file of an export that is done."""
        return self.download("/export/" + urllib.parse.quote(export_id, safe="") + "/file", file)

    def _follow(self, path, query, after):
        wait = _FIRST_WAIT
        while True:
            headers = {"Accept": "text/event-stream"}
            if after is not None:
                headers["Last-Event-ID"] = str(after)
            try:
                with self._open("GET", path, query, None, headers) as answer:
                    for sequence, name, event in _frames(answer):
                        if name == "end":
                            return
                        if event is not None:
                            wait = _FIRST_WAIT
                            yield event
                        if sequence is not None:
                            after = sequence
            except Refusal as refusal:
                if refusal.status < 500 and refusal.status != 429:
                    raise
            except (OSError, http.client.HTTPException):
                pass  # it was cut
            self._sleep(wait)
            wait = min(2 * wait, _MAX_WAIT)

    def download(self, path, file):
        """Writes a file, such as that of an export, and asks for the rest where it is cut."""
        done = 0
        for attempt in range(_ATTEMPTS):
            headers = {"Accept": "*/*"}
            if done:
                headers["Range"] = "bytes=%d-" % done
            with self._open("GET", path, None, None, headers) as answer:
                if done and answer.status != 206:
                    raise OSError("the service does not go on with a file that was cut")
                length = answer.headers.get("Content-Length")
                whole = done + int(length) if length else None
                try:
                    while piece := answer.read(1 << 16):
                        file.write(piece)
                        done += len(piece)
                except http.client.IncompleteRead as cut:
                    file.write(cut.partial)
                    done += len(cut.partial)
                except (OSError, http.client.HTTPException):
                    continue
            if whole is None or done >= whole:
                return done
        raise OSError("the file was cut %d times" % _ATTEMPTS)

    def _open(self, method, path, query, body, headers):
        url = self.base + path
        query = {name: _parameter(value) for name, value in (query or {}).items() if value is not None}
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        data = None
        if body is not None:
            data, headers = json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}
        if method == "POST":
            headers = {"Idempotency-Key": str(uuid.uuid4()), **headers}
        renewed, wait = False, _FIRST_WAIT
        for attempt in range(1, _ATTEMPTS + 1):
            used = self.tokens
            try:
                return self._send(method, url, data, headers)
            except Refusal as refusal:
                if refusal.status == 401 and used.get("refresh_token") and not renewed:
                    self._renew(used)
                    renewed = True
                    continue
                if attempt == _ATTEMPTS or (refusal.status != 429 and refusal.status < 502) or method == "PATCH":
                    raise
                pause = wait if refusal.retry_after is None else refusal.retry_after
            except (OSError, http.client.HTTPException):
                if attempt == _ATTEMPTS or method == "PATCH":
                    raise
                pause = wait
            self._sleep(pause)
            wait *= 2
        return self._send(method, url, data, headers)

    def _send(self, method, url, data, headers):
        request = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
        if self.tokens.get("access_token") and "Authorization" not in headers:
            request.add_header("Authorization", "Bearer " + self.tokens["access_token"])
        try:
            return self._urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            if error.code == 304:  # it has not changed
                return error
            raise _refusal(error) from None

    def _renew(self, used):
        """Gets a new access token for one that ran out, unless another thread already has."""
        with self._lock:
            if self.tokens is not used:
                return
            body = json.dumps({"sub": used.get("sub"), "refresh_token": used["refresh_token"]}).encode()
            with self._send("POST", self.base + "/refresh", body, {"Content-Type": "application/json"}) as answer:
                self.tokens = {**used, **json.load(answer)["data"]}


def _note(response, answer):
    """Keeps the headers of a response for whoever has asked for them."""
    if answer is not None:
        answer.clear()
        answer.update((name.lower(), value) for name, value in response.headers.items())


def _parameter(value):
    """A value as a query has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, (list, tuple, set)):
        return [_parameter(one) for one in value]
    return value


def _refusal(error):
    after = error.headers.get("Retry-After")
    after = int(after) if after and after.isdigit() else None
    try:
        detail = json.loads(error.read())["error"]
        return Refusal(error.code, detail["message"], detail.get("loc"), detail.get("type"), after)
    except (ValueError, KeyError, TypeError):
        return Refusal(error.code, "the service answered %d" % error.code, retry_after=after)


def _frames(lines):
    """Reads server-sent events: the sequence, the name and the data of each, or None."""
    sequence = name = data = None
    for line in lines:
        line = line.decode().rstrip("\r\n")
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "id" and value.isdigit():
            sequence = int(value)
        elif field == "event":
            name = value
        elif field == "data":
            data = value
        elif line == "":
            yield sequence, name, json.loads(data) if data else None
            name = data = None


def verify(secret, headers, body, now=None):
    """Checks that a delivery was signed with the webhook's secret and is of now, as
    Standard Webhooks 1.0 has it. Body is the request's, as bytes. ValueError says what
    is wrong."""
    headers = {name.lower(): value for name, value in headers.items()}
    if not secret.startswith("whsec_") or len(secret) == len("whsec_"):
        raise ValueError("the secret is not one of a webhook: whsec_ and base64")
    key = base64.b64decode(secret[len("whsec_"):])
    stamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not stamp.isdigit() or abs(now - int(stamp)) > _TOLERANCE:
        raise ValueError("the delivery has no time, or one that is too far from now")
    signed = ("%s.%s." % (headers.get("webhook-id", ""), stamp)).encode() + body
    want = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(given, want) for given in headers.get("webhook-signature", "").split()):
        raise ValueError("the delivery is not signed with the secret")
