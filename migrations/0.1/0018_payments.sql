-- Payments: sessions with providers, what was asked of them and what they answered, and what that comes to for an order.

alter table orders
  add column captured_amount numeric not null default 0 check (captured_amount >= 0),
  add column refunded_amount numeric not null default 0 check (refunded_amount between 0 and captured_amount);

alter table payment_methods
  add column settings json not null default '{}',   -- as they are answered: of what is secret, only that it is set
  add column secrets  text;                         -- sealed, those that are secret

-- Whether it has ever been on its way to a provider: by hand, nobody need look for sessions.
alter table checkouts add column has_payments boolean not null default false;

-- One payment: what a shopper is asked to pay once, or what a merchant says was paid by hand.
create table payment_sessions (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  checkout_id       uuid,            -- what it is to make an order of
  order_id          uuid,
  method_id         uuid,            -- whose settings the provider is asked with; null: by hand
  method            text,            -- its code
  provider          text not null,
  reference         text,            -- by which the provider knows it; null until the provider has said
  return_url        text,            -- where the shopper comes back to
  redirect_url      text,            -- where the shopper is sent to
  status            text not null check (status in
    ('pending', 'requires_action', 'processing', 'authorized', 'captured', 'failed', 'canceled', 'expired')),
  purpose           text not null check (purpose in ('order', 'return')),   -- what becomes of money that comes
  amount            numeric not null check (amount >= 0),
  currency          text not null,
  authorized_amount numeric not null default 0 check (authorized_amount >= 0),
  captured_amount   numeric not null default 0 check (captured_amount >= 0),
  refunded_amount   numeric not null default 0 check (refunded_amount >= 0),
  needs_attention   boolean not null default false,
  trouble           text,            -- why money came without an order, or did not go back
  look_at           timestamptz(3),  -- when the provider is to be asked next; null: nothing is open
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  primary key (store_id, id),
  constraint payment_sessions_method foreign key (store_id, method_id) references payment_methods (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create unique index payment_sessions_reference on payment_sessions (store_id, provider, reference)
  where reference is not null;
-- A checkout asks for one payment at a time: another amount takes the place of the one before.
create unique index payment_sessions_open on payment_sessions (store_id, checkout_id)
  where purpose = 'order' and order_id is null and status not in ('failed', 'canceled', 'expired');
create unique index payment_sessions_by_hand on payment_sessions (store_id, order_id) where provider = 'manual';
create index payment_sessions_created on payment_sessions (store_id, created_at desc, id desc);
create index payment_sessions_attention on payment_sessions (store_id, created_at desc, id desc) where needs_attention;
create index payment_sessions_checkout on payment_sessions (store_id, checkout_id) where checkout_id is not null;
create index payment_sessions_order on payment_sessions (store_id, order_id, created_at desc, id desc)
  where order_id is not null;
create index payment_sessions_method on payment_sessions (store_id, method_id) where method_id is not null;
-- The job reads what is due from this one, and nothing else.
create index payment_sessions_due on payment_sessions (look_at) where look_at is not null;

-- What was asked and what was answered, never changed: every amount above is a sum of these. `key` is the provider's
-- own id of what happened, or made of what it comes to: the same is written once.
create table payment_events (
  store_id   text not null,
  id         uuid not null,
  session_id uuid not null,
  provider   text not null,
  key        text not null,
  kind       text not null check (kind in
    ('authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
     'refund_reversed', 'cancel_asked', 'canceled', 'failed', 'expired', 'disputed', 'heard')),
  amount     numeric not null check (amount >= 0),
  currency   text not null,
  reason     text,
  created_at timestamptz(3) not null,
  primary key (store_id, id),
  constraint payment_events_key unique (store_id, provider, key),
  foreign key (store_id, session_id) references payment_sessions (store_id, id) on delete cascade
);
create index payment_events_session on payment_events (store_id, session_id, id);

-- What was paid before: by the test provider, or as the merchant has said.
update orders
set captured_amount = total,
    refunded_amount = case payment_status when 'refunded' then total else 0 end
where payment_status in ('paid', 'refunded');

insert into payment_sessions (store_id, id, order_id, method, provider, reference, status, purpose, amount, currency,
  captured_amount, refunded_amount, created_at, updated_at)
select orders.store_id, coalesce(payments.id, gen_random_uuid()), orders.id, payment_method,
  coalesce(payments.provider, 'manual'), payments.reference, 'captured', 'order', total, orders.currency,
  captured_amount, refunded_amount, coalesce(payments.created_at, orders.created_at), orders.updated_at
from orders
left join payments on payments.store_id = orders.store_id
  and payments.order_id = orders.id
where captured_amount > 0;

insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
select store_id, gen_random_uuid(), id, provider, id || ' captured', 'captured', captured_amount, currency, created_at
from payment_sessions
union all
select store_id, gen_random_uuid(), id, provider, id || ' refunded', 'refunded', refunded_amount, currency, updated_at
from payment_sessions
where refunded_amount > 0;

drop table payments;
