-- Each delivery costs PostgreSQL less: one index fewer, and one row for an attempt that succeeds at once. The time of an
-- event is in its id and in those of its deliveries, so that the keys sort the log.

alter table deliveries drop constraint deliveries_pkey;
alter table deliveries add primary key (store_id, webhook_id, id);
drop index deliveries_log, deliveries_failed, deliveries_skipped;
create index deliveries_failed on deliveries (store_id, webhook_id, id) where status = 'failed';
create index deliveries_skipped on deliveries (store_id, webhook_id, id) where status = 'skipped';

-- The last attempt since the delivery was fired; `attempts` has those before it.
alter table deliveries
  add column attempted_at  timestamptz(3),
  add column duration_ms   int,
  add column url           text,
  add column signature     text,
  add column message       text,
  add column response_body text,
  add column truncated     boolean not null default false;

drop index events_occurred;

-- Who carries a store's events to a local address: events are written for those who want them, and for these.
create table listeners (
  store_id text primary key references stores (id) on delete cascade,
  until    timestamptz(3) not null
);
