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
  disabled_reason       text,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  -- A webhook that an app made ends with the app's access to the store.
  client_id             text,                  -- the OAuth client that made it; null: a key or a person. No foreign key: it outlives the client
  primary key (store_id, id),
  check (is_active = (disabled_at is null)),
  constraint webhooks_disabled_reason_check
    check (disabled_reason in ('manual', 'failing', 'gone', 'access_revoked'))
);
create index webhooks_id on webhooks (id);
create index webhooks_created on webhooks (store_id, created_at desc, id desc);
create index webhooks_of_apps on webhooks (id) where client_id is not null and is_active;

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
  claim                int not null default 0, -- counts claims, so that only the latest can be released
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
  urgent        boolean not null default false, -- retries, replays and tests go first
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
  -- True once the event of a delivery was masked, as its person was erased: what a receiver still answers to what it was
  -- sent before may repeat it, and is not stored.
  is_masked     boolean not null default false,
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
  tool         text,
  -- The agent that made a request; null for requests of others.
  agent        text,
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

create table imports (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  kind             text not null check (kind in ('products', 'customers', 'orders', 'discounts', 'redirects')),
  source           text not null,
  file_name        text,
  on_duplicate     text not null check (on_duplicate in ('skip', 'update', 'reject')),
  columns          json not null,
  mapping          json not null,              -- what the caller said of columns
  is_decimal_comma boolean not null,
  status           text not null check (status in (
    'reading', 'previewing', 'ready', 'running', 'stopped', 'completed', 'undoing', 'undone', 'failed')),
  error            text,
  rows_read        int not null default 0,
  rows_to_create   int not null default 0,
  rows_to_update   int not null default 0,
  rows_created     int not null default 0,
  rows_updated     int not null default 0,
  rows_skipped     int not null default 0,
  rows_rejected    int not null default 0,
  rows_undone      int not null default 0,
  images_pending   int not null default 0,
  images_fetched   int not null default 0,
  images_failed    int not null default 0,
  actor            json not null,
  due_at           timestamptz(3),
  started_at       timestamptz(3),
  finished_at      timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  -- The next rows of an import are found behind those that are done, so that each batch costs the same.
  position         int not null default 0 check (position >= 0),
  primary key (store_id, id)
);
create index imports_newest on imports (store_id, created_at desc, id desc);
create index imports_due on imports (due_at) where due_at is not null;
create index imports_age on imports (created_at);

create table import_rows (
  store_id  text not null,
  import_id uuid not null,
  number    int not null,                      -- from 1
  id        int generated always as (number) stored,
  line      int not null,                      -- of the file
  record    int not null,                      -- the number of the record's first row
  cells     json not null,
  outcome   text check (outcome in ('to_create', 'to_update', 'created', 'updated', 'skipped', 'rejected', 'undone')),
  record_id text,
  batch     int,                               -- the first record of the transaction that wrote it
  messages  json not null default '[]',
  primary key (store_id, import_id, number),
  foreign key (store_id, import_id) references imports (store_id, id) on delete cascade
);
create index import_rows_record on import_rows (store_id, import_id, record);
create index import_rows_outcome on import_rows (store_id, import_id, outcome, number);
create index import_rows_batch on import_rows (store_id, import_id, batch) where batch is not null;

create table import_images (
  store_id   text not null,
  import_id  uuid not null,
  product_id uuid not null,
  id         text generated always as (url) stored,
  url        text not null,
  status     text not null check (status in ('pending', 'fetched', 'failed')),
  error      text,
  primary key (store_id, import_id, product_id, url),
  foreign key (store_id, import_id) references imports (store_id, id) on delete cascade
);
create index import_images_status on import_images (store_id, import_id, status, product_id);

create table forks (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  name         text,
  status       text not null check (status in ('creating', 'ready', 'failed')),
  error        text,
  scopes       text[] not null,                -- of its key, which is only known there
  key_hash     bytea not null,
  key_last4    text not null,
  ahead_ms     bigint not null default 0,      -- how far its clock is ahead
  worked_until timestamptz(3),                 -- its scheduled work is done up to this moment of its clock
  tries        smallint not null default 0,
  due_at       timestamptz(3),                 -- while creating: when another process takes over
  ready_at     timestamptz(3),
  expires_at   timestamptz(3) not null,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index forks_id on forks (id);
create index forks_newest on forks (store_id, created_at desc, id desc);
create index forks_due on forks (due_at) where due_at is not null;
create index forks_expired on forks (expires_at);

select account_for('forks', hidden => '{ahead_ms,worked_until,tries,due_at}', private => '{key_hash}');
