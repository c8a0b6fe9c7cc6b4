-- What happened, with the exact bytes that receivers get. Written in the transaction of the change.

create table events (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  event       text not null,
  event_id    text not null,   -- the public id of the affected entity
  body        text not null,
  occurred_at timestamptz(3) not null,
  primary key (store_id, id)
);
create index events_occurred on events (store_id, occurred_at desc, id desc);
