"""Calls a drover service, with nothing but the standard library.

A login or an API key, lists page by page, calls that are repeated where that is safe,
the live stream, which goes on where it was cut, files, and webhooks' signatures. There
is a method for each operation, named as in the OpenAPI document: list_devices for
listDevices.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import hashlib
import hmac
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import (Any, BinaryIO, Callable, Dict, Generic, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union,
                    cast, overload)

from . import types
from ._operations import Answer, Headers, Operations
from ._version import __version__

__all__ = ["ChangePage", "Client", "Refusal", "__version__", "parse_delivery", "verify"]

_ATTEMPTS = 4
_FIRST_WAIT = 0.2
_MAX_WAIT = 30.0
_TOLERANCE = 300  # seconds by which a delivery's time may differ from now


class Refusal(Exception):
    """An error of the service: its status, its words and, of a 422, the place. request_id
    names the request in the service's logs, required_scope the scope that the caller lacks."""

    def __init__(self, status: int, message: str, loc: Optional[List[Union[str, int]]] = None, type: Optional[str] = None,
                 retry_after: Optional[int] = None, request_id: Optional[str] = None, required_scope: Optional[str] = None) -> None:
        place = ".".join(str(part) for part in loc) + ": " if loc else ""
        super().__init__(place + message)
        self.status, self.message, self.loc, self.type = status, message, loc, type
        self.retry_after, self.request_id, self.required_scope = retry_after, request_id, required_scope


Record = TypeVar("Record")


@dataclasses.dataclass(frozen=True)
class ChangePage(Generic[Record]):
    """What to do to a copy, and the cursor to keep with it. With restart the copy begins, or
    begins again: forget what it has. Changed are records as they are now, deleted the ids
    of those that are gone."""

    restart: bool
    changed: List[Record]
    deleted: List[str]
    cursor: str


class Client(Operations):
    """Calls one service. It is safe for use by several threads.

    An opener of urllib.request, such as one with a proxy or certificates of its own,
    makes the calls where it is given. The timeout is in seconds: of an answer, and of
    each part of it."""

    def __init__(self, base: str, api_key: Optional[str] = None, tokens: Optional[Mapping[str, str]] = None, timeout: float = 60,
                 sleep: Callable[[float], Any] = time.sleep, opener: Optional[urllib.request.OpenerDirector] = None,
                 tenant: Optional[str] = None) -> None:
        self.base = base.rstrip("/")
        self.tenant = tenant
        self.timeout = timeout
        urlopen: Callable[..., Any] = urllib.request.urlopen
        if opener is not None:
            urlopen = opener.open
        self._urlopen = urlopen
        # An opener may have a User-Agent of its own, other than the one urllib gives it.
        self._names_itself = opener is not None and any(
            name.lower() == "user-agent" and not value.startswith("Python-urllib") for name, value in opener.addheaders)
        self._sleep = sleep
        self._lock = threading.Lock()
        #: The tokens in use, to keep them and give them to another Client.
        self.tokens: Dict[str, str] = {"access_token": api_key} if api_key else dict(tokens or {})

    def login(self, username: str, password: str, code: Optional[str] = None) -> None:
        """Logs in with a username or an e-mail address and a password, and with the code
        of a second factor where the user has one."""
        body: types.UsernamePassword = {"username": username, "password": password}
        if code is not None:
            body["code"] = code
        self.tokens = {}
        self.tokens = cast(Dict[str, str], self.post_token(body))

    def call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None, headers: Headers = None, answer: Answer = None) -> Any:
        """Makes a call and returns what its answer has under data, None where there is
        nothing: of a DELETE, and of a record that has not changed since its ETag.
        A dict that is given as answer takes the answer's headers, with names in lower
        case: answer["etag"]."""
        with self._open(method, path, query, body, headers or {}) as response:
            text = response.read()
            _note(response, answer)
        return json.loads(text)["data"] if text else None

    def list(self, path: str, query: Optional[Mapping[str, Any]] = None, headers: Headers = None, answer: Answer = None) -> Iterator[Any]:
        """Goes through a list page by page, as long as the loop goes on. A cursor in the
        query is where it begins. The answer's headers are those of the newest page.

        A page may be empty before the end. A feed gives a cursor also where it ends, to
        go on from later, but links no next page there."""
        asked = dict(query or {})
        while True:
            with self._open("GET", path, asked, None, headers or {}) as response:
                page, cursor, more = json.load(response)["data"], response.headers.get("x-next-cursor"), response.headers.get("link")
                _note(response, answer)
            yield from page
            if not cursor or cursor == asked.get("cursor") or not page and not more:
                return
            asked["cursor"] = cursor

    @overload
    def changes(self, path: Literal["/connection"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.ConnectionView]]: ...

    @overload
    def changes(self, path: Literal["/device"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.Device]]: ...

    @overload
    def changes(self, path: Literal["/driver"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.Driver]]: ...

    @overload
    def changes(self, path: Literal["/fault"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.Fault]]: ...

    @overload
    def changes(self, path: Literal["/milestone"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.Milestone]]: ...

    @overload
    def changes(self, path: Literal["/reading"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.NewestReading]]: ...

    @overload
    def changes(self, path: Literal["/safety-event"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.SafetyEvent]]: ...

    @overload
    def changes(self, path: Literal["/stop"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.Stop]]: ...

    @overload
    def changes(self, path: Literal["/trip"], cursor: Optional[str] = None) -> Iterator[ChangePage[types.TripView]]: ...

    def changes(self, path: str, cursor: Optional[str] = None) -> Iterator[ChangePage[Any]]:
        """Brings a copy of a list's records up to date, page by page, from the cursor that
        was kept last; without one the copy begins. It ends when the copy is up to date.
        The path is /connection, /device, /driver, /fault, /milestone, /reading,
        /safety-event, /stop or /trip."""
        restart = not cursor
        while True:
            try:
                with self._open("GET", path, {"sort": "updated_at", "limit": 1000, "cursor": cursor}, None, {}) as response:
                    rows: List[Any] = json.load(response)["data"]
                    cursor, more = response.headers.get("x-next-cursor"), response.headers.get("link")
            except Refusal as refusal:
                if refusal.status != 410 or restart:
                    raise
                cursor, restart = None, True
                continue
            gone = [row["id"] for row in rows if "deleted_at" in row]
            yield ChangePage(restart, [row for row in rows if "deleted_at" not in row], gone, cursor or "")
            if not more:
                return
            restart = False

    def get_stream(self, after: Optional[int] = None, *, connection_id: Optional[Sequence[str]] = None, tag: Optional[Sequence[str]] = None,
                   device_id: Optional[Sequence[str]] = None, type: Optional[Sequence[types.EventType]] = None) -> Iterator[types.Event]:
        """GET /stream: follows the events after a sequence, from now on without one.
        Where it is cut it goes on, so that no event is missed and none comes twice;
        without a sequence that holds from the first event or heartbeat on."""
        query = {"connection_id": connection_id, "tag": tag, "device_id": device_id, "type": type}
        return self._follow("/stream", query, after)

    def get_shared_journey_stream(self, share_token: str) -> Iterator[types.SharedJourney]:
        """GET /public/share/{share_token}/stream: follows a shared journey until its link ends."""
        return self._follow("/public/share/" + urllib.parse.quote(share_token, safe="") + "/stream", None, None)

    def get_export_file(self, export_id: str, file: BinaryIO) -> int:
        """GET /export/{export_id}/file: writes the file of an export that is done."""
        return self.download("/export/" + urllib.parse.quote(export_id, safe="") + "/file", file)

    def get_tile(self, z: int, x: int, y: int) -> bytes:
        """GET /tile/{z}/{x}/{y}: a Mapbox vector tile, which is empty where the fleet has not driven."""
        with self._open("GET", f"/tile/{z}/{x}/{y}", None, None, {}) as answer:
            return bytes(answer.read())

    def _follow(self, path: str, query: Optional[Mapping[str, Any]], after: Optional[int]) -> Iterator[Any]:
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
            self._sleep(_spread(wait))
            wait = min(2 * wait, _MAX_WAIT)

    def download(self, path: str, file: BinaryIO) -> int:
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

    def _open(self, method: str, path: str, query: Optional[Mapping[str, Any]], body: Any, headers: Mapping[str, str]) -> Any:
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
                # Of what is refused with 429 nothing was done; a PATCH is not repeated otherwise.
                if attempt == _ATTEMPTS or refusal.status != 429 and (refusal.status < 502 or method == "PATCH"):
                    raise
                pause = wait if refusal.retry_after is None else float(refusal.retry_after)
            except (OSError, http.client.HTTPException):
                if attempt == _ATTEMPTS or method == "PATCH":
                    raise
                pause = wait
            self._sleep(_spread(pause))
            wait *= 2
        return self._send(method, url, data, headers)

    def _send(self, method: str, url: str, data: Optional[bytes], headers: Mapping[str, str]) -> Any:
        request = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
        if self.tokens.get("access_token") and "Authorization" not in headers:
            request.add_header("Authorization", "Bearer " + self.tokens["access_token"])
        if self.tenant:
            request.add_header("X-Drover-Tenant", self.tenant)
        if not self._names_itself and not request.has_header("User-agent"):
            request.add_header("User-Agent", "drover-python/" + __version__)
        try:
            return self._urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            if error.code == 304:  # it has not changed
                return error
            raise _refusal(error) from None

    def _renew(self, used: Dict[str, str]) -> None:
        """Gets a new access token for one that ran out, unless another thread already has."""
        with self._lock:
            if self.tokens is not used:
                return
            body = json.dumps({"sub": used.get("sub"), "refresh_token": used["refresh_token"]}).encode()
            with self._send("POST", self.base + "/refresh", body, {"Content-Type": "application/json"}) as answer:
                self.tokens = {**used, **json.load(answer)["data"]}


def _spread(seconds: float) -> float:
    """Makes a wait longer by up to a half, so that clients that failed together do not
    come back together."""
    return seconds * (1 + random.random() / 2)


def _note(response: Any, answer: Answer) -> None:
    """Keeps the headers of a response for a caller that has asked for them."""
    if answer is not None:
        answer.clear()
        answer.update((name.lower(), value) for name, value in response.headers.items())


def _parameter(value: Any) -> Any:
    """A value as a query has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, (list, tuple, set)):
        return [_parameter(one) for one in value]
    return value


def _refusal(error: urllib.error.HTTPError) -> Refusal:
    after, request_id, scope = (error.headers.get(name) for name in ("Retry-After", "X-Request-Id", "X-Required-Scope"))
    seconds = int(after) if after and after.isdigit() else None
    try:
        detail = json.loads(error.read())["error"]
        return Refusal(error.code, detail["message"], detail.get("loc"), detail.get("type"), seconds, request_id, scope)
    except (ValueError, KeyError, TypeError):
        return Refusal(error.code, "the service answered %d" % error.code, retry_after=seconds, request_id=request_id, required_scope=scope)


def _frames(lines: Iterable[bytes]) -> Iterator[Tuple[Optional[int], Optional[str], Any]]:
    """Reads server-sent events: the sequence, the name and the data of each, or None."""
    sequence: Optional[int] = None
    name: Optional[str] = None
    data: Optional[str] = None
    for raw in lines:
        line = raw.decode().rstrip("\r\n")
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


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: Optional[float] = None) -> None:
    """Checks that a delivery was signed with the webhook's secret and is of now, as
    Standard Webhooks 1.0 has it. Body is the request's, as bytes. ValueError says what
    is wrong."""
    headers = {name.lower(): value for name, value in headers.items()}
    if not secret.startswith("whsec_") or len(secret) == len("whsec_"):
        raise ValueError("the secret is not one of a webhook: whsec_ and base64")
    key = base64.b64decode(secret[len("whsec_"):])
    stamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not stamp.isdecimal() or abs(now - int(stamp)) > _TOLERANCE:
        raise ValueError("the delivery has no time, or one that is too far from now")
    signed = ("%s.%s." % (headers.get("webhook-id", ""), stamp)).encode(errors="replace") + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode(errors="replace").split()  # compare_digest takes no other text than ASCII
    if not any(hmac.compare_digest(one, want) for one in given):
        raise ValueError("the delivery is not signed with the secret")


def parse_delivery(secret: str, headers: Mapping[str, str], body: bytes, now: Optional[float] = None) -> types.Delivery:
    """Verifies a delivery and reads it. Its type says what data is; its id is the same for
    every attempt, so a receiver that keeps it handles a delivery once."""
    verify(secret, headers, body, now)
    ids = [value for name, value in headers.items() if name.lower() == "webhook-id"]
    return cast(types.Delivery, {**json.loads(body), "id": ids[0]})
