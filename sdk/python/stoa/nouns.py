"""What the methods of the API have in common: their options, their lists, and the event log as a stream."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypedDict, TypeVar

from . import types as t
from .webhooks import verify_webhook

T = TypeVar("T")


class Options(TypedDict, total=False):
    retries: float
    "Retries after 429, 5xx and failures of the network"
    timeout: float
    "Seconds for one attempt"


class WriteOptions(Options, total=False):
    if_match: Any
    "Executes the write only if the record is as it was read: the record as a method returned it, or an ETag"
    strict: bool
    "Rejects unknown fields instead of ignoring them"
    idempotency_key: str
    "Each write has a key of its own by default, which its retries share"


class DryRun(Generic[T]):
    """What a write would return, and what it would do."""

    def __init__(self, data: T, rehearsal: t.Rehearsal) -> None:
        self.data = data
        self.rehearsal = rehearsal


class Noun:
    def __init__(self, call: Any) -> None:
        self._call = call


class Listing(Generic[T]):
    """A list without pages: iterate over it, or call `page()` for the whole response."""

    def __init__(self, call: Any, http: str, path: str, ids: tuple[str, ...], body: None, query: Any, options: Any):
        self._request = (call, http, path, ids, body, query, options)

    def page(self) -> Page[T]:
        return self._read({})

    def _read(self, more: dict[str, Any]) -> Page[T]:
        call, http, path, ids, body, query, options = self._request
        return Page(call(http, path, ids, body, {**(query or {}), **more}, options).body)

    def __iter__(self) -> Iterator[T]:
        return iter(self.page().data)


class Pages(Listing[T]):
    """A list: iterate over the records of all pages, or call `page()` for one."""

    def __iter__(self) -> Iterator[T]:
        return self._walk({})

    def _walk(self, more: dict[str, Any]) -> Iterator[T]:
        while True:
            page = self._read(more)
            yield from page.data
            place = page.pagination
            if place.get("next_cursor"):
                more = {"cursor": place["next_cursor"]}
            elif place.get("page", 0) < place.get("total_pages", 0):
                more = {"page": place["page"] + 1}
            else:
                return


class Walk(Pages[T]):
    """The same, read by cursor: each record comes once, whatever changes meanwhile. With `page` or `sort`: by pages."""

    def __iter__(self) -> Iterator[T]:
        query = self._request[5]
        is_by_number = "page" in query or "sort" in query or "cursor" in query
        return self._walk({} if is_by_number else {"cursor": ""})


class Page(Generic[T]):
    def __init__(self, body: Any) -> None:
        self.data: list[T] = body["data"]
        self.body = body

    @property
    def pagination(self) -> t.Pagination:
        "The place of the page. A list that comes whole is its only page."
        count = len(self.data)
        whole: t.Pagination = {"page": 1, "per_page": count, "total": count, "total_pages": 1}
        return self.body.get("pagination", whole)

    def __repr__(self) -> str:
        return f"Page({len(self.data)} records, {self.pagination})"


class EventFeed:
    """Iterate over it. After a break or an error, iterating again resumes at `position`."""

    def __init__(self, call: Any, after: int, types: Sequence[str] | None, wait: float) -> None:
        #: Everything up to this sequence is handled: the loop has come back for more.
        self.position = after
        self._call = call
        self._types = types
        self._wait = wait

    def __iter__(self) -> Iterator[t.Event]:
        options = {"retries": float("inf"), "timeout": self._wait + 30}
        while True:
            query = {"after": self.position, "wait": self._wait, "limit": 500}
            if self._types is not None:
                query["types"] = ",".join(self._types)
            body = self._call("GET", "/v1/events", (), None, query, options).body
            for event in body["data"]:
                yield event
                self.position = event["sequence"]
            self.position = body["log"]["next_after"]


class EventLog(Noun):
    def after(self, sequence: int, *, types: Sequence[t.EventType] | None = None, wait: int = 30) -> EventFeed:
        """The events after a sequence, and then those to come: it waits for them, and goes on after any failure."""
        return EventFeed(self._call, sequence, types, wait)


class Verification(Noun):
    verify = staticmethod(verify_webhook)
