"""Errors of the API, a class for each code."""
from __future__ import annotations

from typing import Any, Protocol, TypedDict


class Headers(Protocol):
    def get(self, name: str, /) -> str | None: ...


class Fault(TypedDict):
    field: str
    message: str


class StoaError(Exception):
    """A response that is not a success. Branch on `code`, or on the class."""

    def __init__(
        self, status: int, code: str, message: str, details: Any = None, headers: Headers | None = None
    ) -> None:
        #: Everything that is wrong with the input; empty unless the code is VALIDATION_ERROR.
        self.faults: list[Fault] = details if isinstance(details, list) else []
        if len(self.faults) > 1:
            message += ": " + "; ".join(f"{fault['field']} {fault['message']}" for fault in self.faults)
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        #: Quote it to the operator, or read it with `requests.explain`.
        self.request_id = headers.get("x-request-id") if headers else None
        seconds = headers.get("retry-after") if headers else None
        self.retry_after_seconds = int(seconds) if seconds and seconds.isdigit() else None


class ConnectionError(StoaError):
    """No response: the network failed, or the time was over."""


class AuthenticationError(StoaError): ...
class ScopeError(StoaError): ...
class PlanLimitError(StoaError): ...
class PolicyError(StoaError): ...
class FeatureError(StoaError): ...
class NotFoundError(StoaError): ...
class ConflictError(StoaError): ...
class NotRevertibleError(ConflictError): ...
class OutdatedError(ConflictError): ...
class GoneError(StoaError): ...
class PreconditionError(StoaError):
    """The record has changed since it was read: read, edit and send it again."""
class PayloadTooLargeError(StoaError): ...
class ValidationError(StoaError): ...
class RateLimitError(StoaError): ...
class UnavailableError(StoaError): ...
class InternalError(StoaError): ...


CLASSES: dict[str, type[StoaError]] = {
    "AUTHENTICATION_ERROR": AuthenticationError,
    "SCOPE_INSUFFICIENT": ScopeError,
    "PLAN_LIMIT_EXCEEDED": PlanLimitError,
    "POLICY_EXCEEDED": PolicyError,
    "FEATURE_ACCESS_DENIED": FeatureError,
    "NOT_FOUND": NotFoundError,
    "MOVED": NotFoundError,
    "CONFLICT": ConflictError,
    "NOT_REVERTIBLE": NotRevertibleError,
    "OUTDATED": OutdatedError,
    "GONE": GoneError,
    "PRECONDITION_FAILED": PreconditionError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "VALIDATION_ERROR": ValidationError,
    "RATE_LIMITED": RateLimitError,
    "UNAVAILABLE": UnavailableError,
    "STORE_UNAVAILABLE": UnavailableError,
    "INTERNAL_ERROR": InternalError,
}


def error_of(status: int, headers: Headers, body: Any) -> StoaError:
    """The error of a response; what is not the API's envelope, such as a page of a proxy, gets the code HTTP_502."""
    envelope = body.get("error") if isinstance(body, dict) else None
    if not isinstance(envelope, dict):
        envelope = {"code": f"HTTP_{status}", "message": f"HTTP status {status}"}
    other = RateLimitError if status == 429 else UnavailableError if status >= 500 else StoaError
    made = CLASSES.get(envelope["code"], other)
    return made(status, envelope["code"], envelope["message"], envelope.get("details"), headers)
