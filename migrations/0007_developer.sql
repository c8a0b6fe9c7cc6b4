-- Webhooks and their deliveries, the request log, and proposals.

-- `emit` reads this row with every event, so deliveries do not write it; only people and health changes do.
create table webhooks (
  store_id              text not null references stores (id) on delete cascade,
  id                    uuid not null,
  url                   text not null,
  events                text[] not null,
  description           text,
  is_active             boolean not null default true,
  secret                text not null,         -- sealed for this store and record
  secret_last4          text not null,
  previous_secret       text,                  -- sealed; also signs until previous_secret_until
  previous_secret_until timestamptz(3),
  paused_at             timestamptz(3),        -- failing: deliveries are held, the oldest is tried each minute
  disabled_at           timestamptz(3),
  disabled_reason       text check (disabled_reason in ('manual', 'failing', 'gone')),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  primary key (store_id, id),
  check (is_active = (disabled_at is null))
);
create index webhooks_id on webhooks (id);
create index webhooks_created on webhooks (store_id, created_at desc, id desc);

-- One row per webhook, written with each claim and each batch of finished attempts.
create table webhook_health (
  store_id             text not null,
  webhook_id           uuid not null,
  consecutive_failures int not null default 0,
  failing_since        timestamptz(3),         -- the first failure after the last success
  probe_at             timestamptz(3),         -- while paused: when the oldest delivery may be tried next
  last_delivery_at     timestamptz(3),
  last_delivery_status text,
  claimed_by           int,                    -- the worker that delivers to it
  claimed_until        timestamptz(3),         -- when the claim lapses unless renewed
  claim                int not null default 0,  -- counts claims, so that only the latest can be released
  primary key (store_id, webhook_id),
  foreign key (store_id, webhook_id) references webhooks (store_id, id) on delete cascade
) with (fillfactor = 50);
create index webhook_health_claimed on webhook_health (claimed_by) where claimed_by is not null;
create index webhook_health_probes on webhook_health (probe_at) where probe_at is not null;

-- No foreign key to webhooks: its check would lock the webhook's row with every event. Only emit, replay and test
-- insert here, from that row. A job deletes what a deleted webhook leaves behind.
create table deliveries (
  store_id      text not null,
  id            uuid not null,
  webhook_id    uuid not null,
  event_uuid    uuid not null,
  event         text not null,
  trigger       text not null default 'event' check (trigger in
    ('event', 'manual', 'recovery', 'test')),
  status        text not null default 'pending' check (status in
    ('pending', 'delivered', 'failed', 'skipped')),
  attempts      smallint not null default 0,   -- in all
  tries         smallint not null default 0,   -- since the last replay; the third ends it
  urgent        boolean not null default false,  -- retries, replays and tests go first
  run_at        timestamptz(3) not null,       -- due time
  crashes       smallint not null default 0,   -- workers that died with it since the last recorded attempt
  status_code   smallint,
  error         text,
  completed_at  timestamptz(3),
  created_at    timestamptz(3) not null,
  attempted_at  timestamptz(3),
  duration_ms   int,
  url           text,
  signature     text,
  message       text,
  response_body text,
  truncated     boolean not null default false,
  primary key (store_id, webhook_id, id)
);
-- Without id, so that the planner always finds a delivery by its primary key, even in a new table without statistics.
create index deliveries_due on deliveries (webhook_id, urgent desc, run_at) where status = 'pending';
create index deliveries_failed on deliveries (store_id, webhook_id, id) where status = 'failed';
create index deliveries_skipped on deliveries (store_id, webhook_id, id) where status = 'skipped';

create table attempts (
  store_id      text not null,
  delivery_id   uuid not null,
  attempt       smallint not null,
  at            timestamptz(3) not null,
  duration_ms   int not null,
  url           text not null,
  signature     text,
  status_code   smallint,
  error         text,
  message       text,
  response_body text,
  truncated     boolean not null default false,
  primary key (store_id, delivery_id, attempt)
);

-- The API request log, one partition per day. The writer and a job add partitions (src/developer/requests/days.ts), and
-- retention drops whole days. The id holds the time. No foreign key to stores: its check would cost more than the row.
create table requests (
  store_id     text not null,
  id           uuid not null,
  request_id   text not null,                  -- X-Request-Id
  method       text not null,
  route        text not null,                  -- the path's pattern
  path         text not null,
  query        text,
  credential   text,                           -- public id of the key or client; null: a shopper
  status       smallint not null,
  code         text,                           -- error code
  error        json,                           -- the error's body
  duration_ms  numeric(9,1) not null,
  bytes_in     int not null,
  bytes_out    int not null,
  request_body json,                           -- writes only, masked
  answer_body  json,
  created_at   timestamptz(3) not null,
  trace        json,
  is_rehearsal boolean not null default false,
  primary key (store_id, id)
) partition by range (id);
create index requests_request_id on requests (store_id, request_id);
create index requests_refused on requests (store_id, id) where status >= 400;

create table proposals (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  status      text not null default 'open' check (status in ('open', 'approved', 'refused')),
  operation   text not null,
  scope       text not null,                   -- required to propose it
  request     json not null,                   -- {method, path, body, if_match}
  answer      json not null,                   -- {status, data} of the dry run
  rehearsal   json not null,                   -- the whole dry run; callers see what their scopes allow
  versions    json not null,                   -- [{table, id, fields}]: hashes of the fields of records it would change
  note        text,
  reason      text,
  result      json,                            -- {status, data} of the execution
  proposed_by text not null,
  decided_by  text,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  decided_at  timestamptz(3),
  primary key (store_id, id),
  check ((status = 'open') = (decided_at is null))
);
create index proposals_created on proposals (store_id, created_at desc, id desc);
create index proposals_age on proposals (created_at);

-- Tables in the audit log.
select account_for('webhooks', private => '{secret,previous_secret}');
