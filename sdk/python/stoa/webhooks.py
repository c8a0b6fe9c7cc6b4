"""Verification of webhooks, which says which check failed and what to do about it."""
from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from .types import EventType

Check = Literal["header", "body", "timestamp", "signature", "json"]


class WebhookError(Exception):
    def __init__(self, check: Check, message: str) -> None:
        super().__init__(message)
        #: The check that failed.
        self.check = check


@dataclass(frozen=True)
class WebhookEvent:
    event: EventType
    id: str
    "Id of the delivery: skip one that you have seen"
    sequence: int | None
    "Place in the event log; None for test events"
    is_test: bool
    body: Any
    "One of the payloads of stoa.types, such as OrderCreatedPayload"


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a request that is from Stoa; otherwise it raises a WebhookError. Answer that with 400.

    secret: the webhook's secret; during a rotation, the old one and the new one.
    body: as it was received, before it is parsed.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, event, timestamp, signature = (required(given, name) for name in ("Id", "Event", "Timestamp", "Signature"))
    content = bytes_of(body)
    if not re.fullmatch(r"[0-9]+", timestamp):
        raise WebhookError("timestamp", f"X-Webhook-Timestamp is not in seconds: {timestamp}")
    age = round((time.time() if now is None else now) - int(timestamp))
    if abs(age) > tolerance:
        offset = f"{age} seconds old" if age > 0 else f"{-age} seconds ahead of this clock"
        why = "it was sent again by someone, or this clock is wrong"
        raise WebhookError("timestamp", f"The request is {offset}, more than {tolerance:g}: {why}")
    if not re.fullmatch(r"[0-9a-fA-F]{64}", signature):
        raise WebhookError("signature", "X-Webhook-Signature is not 64 hexadecimal digits")
    signatures = [signature, given.get("x-webhook-signature-previous", signature)]
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not is_signed(secrets, signatures, timestamp, content):
        raise WebhookError("signature", explanation(secrets, signatures, timestamp, content))
    try:
        payload = json.loads(content.decode())
    except ValueError:
        raise WebhookError("json", "The body is signed, but it is not JSON") from None
    sequence = given.get("x-webhook-sequence")
    is_test = given.get("x-webhook-test") == "true"
    return WebhookEvent(cast(EventType, event), id, int(sequence) if sequence else None, is_test, payload)


def required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(f"x-webhook-{name.lower()}")
    if not value:
        why = "a proxy removed it, or the request is not from Stoa"
        raise WebhookError("header", f"X-Webhook-{name} is missing: {why}")
    return value


def bytes_of(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    raise WebhookError("body", f"The body is {type(body).__name__}: pass the raw body, before it is parsed")


def is_signed(secrets: Sequence[str], signatures: Sequence[str], timestamp: str, body: bytes) -> bool:
    found = False
    for secret in filter(None, secrets):
        expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        for signature in signatures:
            # Compares in constant time.
            found |= hmac.compare_digest(expected.encode(), signature.lower().encode())
    return found


def explanation(secrets: Sequence[str], signatures: Sequence[str], timestamp: str, body: bytes) -> str:
    why = "The signature is not of this body and secret: "
    if not any(secrets):
        return why + "the secret is empty"
    if is_signed([secret.strip() for secret in secrets], signatures, timestamp, body):
        return why + "the secret has spaces or a line break around it"
    if any(is_signed(secrets, signatures, timestamp, other) for other in rewritten(body)):
        return why + "the body was changed on the way, for example parsed and written again. Pass the bytes as received"
    return why + "the secret is that of another webhook or was rotated, or the body was changed"


def rewritten(body: bytes) -> list[bytes]:
    try:
        compact = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
    except ValueError:
        return [body.strip()]
    return [body.strip(), compact]
