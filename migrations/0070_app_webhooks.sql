-- A webhook that an app made ends with the app's access to the store.
alter table webhooks
  add column client_id text,  -- the OAuth client that made it; null: a key or a person. No foreign key: it outlives the client
  drop constraint webhooks_disabled_reason_check,
  add constraint webhooks_disabled_reason_check
    check (disabled_reason in ('manual', 'failing', 'gone', 'access_revoked'));

update webhooks
set client_id = audit_log.actor_id
from audit_log
where audit_log.store_id = webhooks.store_id
  and audit_log.records @> array[webhooks.id]
  and audit_log.actor_kind = 'client'
  and audit_log.operation = 'createWebhook';

create index webhooks_of_apps on webhooks (id) where client_id is not null and is_active;
