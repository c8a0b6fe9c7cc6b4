-- What a checkout becomes, and when it is due next, as 0120 has the stock of products: its steps leave the indexes of
-- its wide row as they are, which are by hashes, addresses and numbers.

create table listed_checkouts (
  store_id     text not null,
  id           uuid not null,
  status       text not null,
  channel      text,
  currency     text not null,
  total        numeric not null,
  order_id     uuid,
  draft_since  timestamptz(3),
  abandoned_at timestamptz(3),
  recovered_at timestamptz(3),
  due_at       timestamptz(3),
  created_at   timestamptz(3) not null,
  primary key (store_id, id)
);

create function keep_listed_checkouts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into listed_checkouts (store_id, id, status, channel, currency, total, order_id, draft_since, abandoned_at,
      recovered_at, due_at, created_at)
    values (new.store_id, new.id, new.status, new.channel, new.currency, new.total, new.order_id, new.draft_since,
      new.abandoned_at, new.recovered_at, new.due_at, new.created_at);
  elsif tg_op = 'UPDATE' then
    update listed_checkouts
    set (status, channel, currency, total, order_id, draft_since, abandoned_at, recovered_at, due_at, created_at) =
      row(new.status, new.channel, new.currency, new.total, new.order_id, new.draft_since, new.abandoned_at,
        new.recovered_at, new.due_at, new.created_at)
    where store_id = new.store_id and id = new.id;
  else
    delete from listed_checkouts where store_id = old.store_id and id = old.id;
  end if;
  return null;
end $$;

create trigger keep_listed_rows after insert or delete on checkouts
  for each row execute function keep_listed_checkouts();
create trigger keep_listed after update of status, channel, currency, total, order_id, draft_since, abandoned_at,
    recovered_at, due_at, created_at on checkouts
  for each row when (
    (old.status, old.channel, old.currency, old.total, old.order_id, old.draft_since, old.abandoned_at,
      old.recovered_at, old.due_at, old.created_at)
    is distinct from
    (new.status, new.channel, new.currency, new.total, new.order_id, new.draft_since, new.abandoned_at,
      new.recovered_at, new.due_at, new.created_at))
  execute function keep_listed_checkouts();

insert into listed_checkouts (store_id, id, status, channel, currency, total, order_id, draft_since, abandoned_at,
  recovered_at, due_at, created_at)
select store_id, id, status, channel, currency, total, order_id, draft_since, abandoned_at, recovered_at, due_at,
  created_at
from checkouts;

create index listed_checkouts_status on listed_checkouts (store_id, status, created_at desc, id desc)
  where draft_since is not null;
create index listed_checkouts_created on listed_checkouts (store_id, created_at desc, id desc)
  where draft_since is not null and status <> 'completed';
-- The sweep finds due checkouts here without reading anything else.
create index listed_checkouts_due on listed_checkouts (due_at) where due_at is not null;
-- Abandoned checkouts and their outcome: the 30-day sums read only this index.
create index listed_checkouts_left on listed_checkouts (store_id, abandoned_at)
  include (status, currency, total, order_id)
  where abandoned_at is not null;
create index listed_checkouts_recovered on listed_checkouts (store_id, recovered_at) where recovered_at is not null;

drop index checkouts_status, checkouts_created, checkouts_due, checkouts_left, checkouts_recovered;
alter table checkouts set (fillfactor = 60);
