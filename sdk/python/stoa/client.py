"""The client: one request with its retries."""
from __future__ import annotations

import json
import random
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from .api import Api
from .errors import ConnectionError, Headers, StoaError, error_of
from .nouns import DryRun


class File:
    """A file to upload: `stoa.media.create({"file": File("cup.jpg", content)})`."""

    def __init__(self, name: str, content: bytes, type: str = "application/octet-stream") -> None:
        self.name = name
        self.content = content
        self.type = type


class Record(dict[str, Any]):
    """A record with the version that it was read at."""

    etag: str | None = None


def etag_of(record: Any) -> str:
    """The version of a record that a method returned. Records of lists have none."""
    etag = record if isinstance(record, str) else getattr(record, "etag", None)
    if etag is None:
        raise TypeError("if_match: this record has no version. Get it by itself before you change it")
    return etag


class Answer:
    def __init__(self, headers: Headers, body: Any, is_dry_run: bool = False) -> None:
        self.headers = headers
        self.body = body
        self.is_dry_run = is_dry_run

    def result(self) -> Any:
        data = self.body["data"]
        if self.is_dry_run:
            return DryRun(data, self.body["rehearsal"])
        if isinstance(data, dict):
            data = Record(data)
            data.etag = self.headers.get("etag")
        return data


class Stoa(Api):
    """A store by its key or access token, or the storefront without either.

    retries: of a request after 429, 5xx and failures of the network.
    timeout: seconds for one attempt.
    max_wait: the longest wait before a retry, in seconds; an error that demands a longer one is raised.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        token: str | None = None,
        retries: int = 4,
        timeout: float = 60,
        max_wait: float = 90,
    ) -> None:
        super().__init__(self._call_path)
        self._url = url.rstrip("/")
        self._credential = {"X-API-Key": key} if key else {"Authorization": f"Bearer {token}"} if token else {}
        self._retries = retries
        self._timeout = timeout
        self._max_wait = max_wait

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None, **options: Any
    ) -> Any:
        """Any request: the whole JSON of its response."""
        return self._send(method, path, body, query, options).body

    def _call_path(
        self, method: str, path: str, ids: tuple[str, ...], body: Any, query: Mapping[str, Any] | None, options: Any
    ) -> Answer:
        parts = iter(ids)
        return self._send(method, re.sub(r"\*", lambda _: segment_of(next(parts), path), path), body, query, options)

    def _send(self, method: str, path: str, body: Any, query: Mapping[str, Any] | None, options: Any) -> Answer:
        is_for_shoppers = path.startswith("/storefront/")
        takes_key = not is_for_shoppers and method in ("POST", "PATCH")
        headers = {"Accept": "application/json", "User-Agent": "stoa-python/0.2.0"}
        if not is_for_shoppers:
            headers |= self._credential
        if takes_key or "idempotency_key" in options:
            headers["Idempotency-Key"] = options.get("idempotency_key") or secrets.token_hex(16)
        if options.get("if_match") is not None:
            headers["If-Match"] = etag_of(options["if_match"])
        is_dry_run = options.get("dry_run", False)
        prefer = [*(["dry-run"] if is_dry_run else []), *(["handling=strict"] if options.get("strict") else [])]
        if prefer:
            headers["Prefer"] = ", ".join(prefer)
        content = None
        if body is not None:
            content, headers["Content-Type"] = encoded(body)
        address = self._url + path + search_of(query or {})
        request = urllib.request.Request(address, content, headers, method=method)
        answer = self._repeat(request, takes_key or method in ("GET", "DELETE"), options)
        if is_dry_run and answer.headers.get("preference-applied") != "dry-run":
            message = "The server executed the request: it has no dry runs here"
            raise StoaError(200, "NO_DRY_RUN", message, headers=answer.headers)
        answer.is_dry_run = is_dry_run
        return answer

    def _repeat(self, request: urllib.request.Request, can_repeat: bool, options: Any) -> Answer:
        retries = options.get("retries", self._retries)
        attempt = 0
        while True:
            try:
                return attempt_once(request, options.get("timeout", self._timeout))
            except StoaError as error:
                wait = wait_of(error, attempt, can_repeat)
                if wait is None or attempt >= retries or wait > self._max_wait:
                    raise
            time.sleep(wait)
            attempt += 1


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> Any:
        has_credential = req.has_header("X-api-key") or req.has_header("Authorization")
        if has_credential:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


opener = urllib.request.build_opener(NoRedirects)


def attempt_once(request: urllib.request.Request, timeout: float) -> Answer:
    try:
        with opener.open(request, timeout=timeout) as response:
            return Answer(response.headers, parsed(response.headers, response.read()))
    except urllib.error.HTTPError as error:
        with error:
            try:
                body = parsed(error.headers, error.read())
            except (OSError, HTTPException, ValueError):
                body = None
            raise error_of(error.code, error.headers, body) from None
    except TimeoutError as cause:
        raise ConnectionError(0, "TIMEOUT", f"No response within {timeout} seconds") from cause
    except (OSError, HTTPException, ValueError) as cause:
        raise ConnectionError(0, "CONNECTION", f"No response: {cause}") from cause


def parsed(headers: Headers, content: bytes) -> Any:
    text = content.decode()
    return json.loads(text) if "json" in (headers.get("content-type") or "") else text


def wait_of(error: StoaError, attempt: int, can_repeat: bool) -> float | None:
    """Seconds before the next attempt; None if there must be none."""
    # A refused request had no effect. A 409 with Retry-After is a collision with another request.
    is_refused = error.status == 429 or (error.status == 409 and error.retry_after_seconds is not None)
    if not is_refused and not (can_repeat and (error.status == 0 or error.status >= 500)):
        return None
    if error.retry_after_seconds is not None:
        return error.retry_after_seconds + random.random() / 4
    return min(0.25 * 2 ** min(attempt, 6), 10) * random.uniform(0.5, 1)


def segment_of(id: Any, path: str) -> str:
    """An empty or missing id would name the whole list."""
    if not isinstance(id, str) or id in ("", ".", ".."):
        raise TypeError(f"{path}: the id is {id!r}")
    return urllib.parse.quote(id, safe="")


def search_of(query: Mapping[str, Any]) -> str:
    flat = {
        f"{name}[{key}]" if isinstance(value, Mapping) else name: text
        for name, value in query.items()
        for key, text in (value.items() if isinstance(value, Mapping) else [("", value)])
    }
    given = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in flat.items()}
    search = urllib.parse.urlencode({name: value for name, value in given.items() if value is not None})
    return f"?{search}" if search else ""


def encoded(body: Any) -> tuple[bytes, str]:
    if not any(isinstance(value, File) for value in body.values()):
        return json.dumps(body).encode(), "application/json"
    boundary = secrets.token_hex(16)
    parts = []
    for name, value in body.items():
        file = value if isinstance(value, File) else None
        disposition = f'form-data; name="{name}"' + (f'; filename="{quoted(file.name)}"' if file else "")
        kind = f"\r\nContent-Type: {file.type}" if file else ""
        content = file.content if file else str(value).encode()
        parts.append(f"--{boundary}\r\nContent-Disposition: {disposition}{kind}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"


def quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
