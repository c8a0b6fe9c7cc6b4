"""Client of the Stoa commerce API. It needs nothing but Python's standard library."""
from . import types
from .client import File, Stoa, etag_of
from .errors import (
    AuthenticationError, ConflictError, ConnectionError, Fault, FeatureError, GoneError, InternalError, NotFoundError,
    NotRevertibleError, OutdatedError, PayloadTooLargeError, PlanLimitError, PolicyError, PreconditionError,
    RateLimitError, ScopeError, StoaError, UnavailableError, ValidationError,
)
from .nouns import DryRun, EventFeed, Listing, Options, Page, Pages, WriteOptions
from .webhooks import WebhookError, WebhookEvent, verify_webhook

__all__ = [
    "AuthenticationError", "ConflictError", "ConnectionError", "DryRun", "EventFeed", "Fault", "FeatureError", "File",
    "GoneError", "InternalError", "Listing", "NotFoundError", "NotRevertibleError", "Options", "OutdatedError", "Page",
    "Pages", "PayloadTooLargeError", "PlanLimitError", "PolicyError", "PreconditionError", "RateLimitError",
    "ScopeError", "Stoa", "StoaError", "UnavailableError", "ValidationError", "WebhookError", "WebhookEvent",
    "WriteOptions", "etag_of", "types", "verify_webhook",
]
