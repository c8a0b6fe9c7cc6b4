-- A paused webhook is probed by the clock, not by claims: only it has a time for it.
update webhook_health
set probe_at = null
from webhooks
where webhooks.store_id = webhook_health.store_id
  and webhooks.id = webhook_health.webhook_id
  and webhooks.paused_at is null;
create index webhook_health_probes on webhook_health (probe_at) where probe_at is not null;
