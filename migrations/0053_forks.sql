-- Forks: copies of a store for experiments, each in a database of its own, which is named by the ID. The row is here
-- before the database; a database without a row is dropped.

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
