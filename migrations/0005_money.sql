-- Payments, refunds, disputes, and the sums that reports read.

create table payment_methods (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  code         text not null,
  provider     text not null,
  name         text,
  instructions text,
  position     int not null default 0,
  is_active    boolean not null default true,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  settings     json not null default '{}',     -- as they are answered: of what is secret, only that it is set
  secrets      text,                           -- sealed, those that are secret
  primary key (store_id, id),
  constraint payment_methods_code unique (store_id, code),
  constraint payment_methods_name check (name is not null or code in ('cod', 'bank_transfer', 'cash', 'card', 'wallet', 'other'))
);

-- One payment: what a shopper is asked to pay once, or what a merchant says was paid by hand.
create table payment_sessions (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  checkout_id       uuid,                      -- what it is to make an order of
  order_id          uuid,
  method_id         uuid,                      -- whose settings the provider is asked with; null: by hand
  method            text,                      -- its code
  provider          text not null,
  reference         text,                      -- by which the provider knows it; null until the provider has said
  return_url        text,                      -- where the shopper comes back to
  redirect_url      text,                      -- where the shopper is sent to
  status            text not null check (status in
    ('pending', 'requires_action', 'processing', 'authorized', 'captured', 'failed', 'canceled', 'expired')),
  purpose           text not null check (purpose in ('order', 'return')),  -- what becomes of money that comes
  amount            numeric not null check (amount >= 0),
  currency          text not null,
  authorized_amount numeric not null default 0 check (authorized_amount >= 0),
  captured_amount   numeric not null default 0 check (captured_amount >= 0),
  refunded_amount   numeric not null default 0 check (refunded_amount >= 0),
  needs_attention   boolean not null default false,
  trouble           text,                      -- why money came without an order, or did not go back
  look_at           timestamptz(3),            -- when the provider is to be asked next; null: nothing is open
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  refunding_amount  numeric not null default 0 check (refunding_amount >= 0),
  held_amount       numeric not null default 0 check (held_amount >= 0),  -- as the provider said last
  capturing_amount  numeric not null default 0 check (capturing_amount >= 0),
  asked_id          uuid,                      -- the event that asks to take it, or to let it go
  asked_at          timestamptz(3),
  ask_at            timestamptz(3),            -- when the provider is to be asked, again if it was
  tries             smallint not null default 0,
  is_late           boolean not null default false,  -- asked for more than a day
  lost_amount       numeric not null default 0,  -- of refunded_amount, what went back by lost disputes
  recheck_at        timestamptz(3),            -- when the provider is asked next about money that has moved
  return_shown      boolean not null default false,
  primary key (store_id, id),
  constraint payment_sessions_method foreign key (store_id, method_id) references payment_methods (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  constraint payment_sessions_asked check (((asked_id is null) = (ask_at is null)) and ((asked_id is null) = (asked_at is null)) and (asked_id is not null or (capturing_amount = 0 and not is_late))),
  constraint payment_sessions_lost check (lost_amount between 0 and refunded_amount)
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
-- Money without an order, which nobody looks for any more.
create index payment_sessions_stray on payment_sessions (store_id)
  where order_id is null and captured_amount > refunded_amount;
-- The job reads what is due from this one, and nothing else.
create index payment_sessions_asked on payment_sessions (ask_at) where ask_at is not null;
-- The job reads what is due from this one, and nothing else.
create index payment_sessions_recheck on payment_sessions (recheck_at) where recheck_at is not null;

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
     'refund_reversed', 'cancel_asked', 'cancel_failed', 'canceled', 'failed', 'expired', 'disputed',
     'dispute_won', 'dispute_lost', 'dispute_reversed', 'heard')),
  amount     numeric not null check (amount >= 0),
  currency   text not null,
  reason     text,
  created_at timestamptz(3) not null,
  primary key (store_id, id),
  constraint payment_events_key unique (store_id, provider, key),
  foreign key (store_id, session_id) references payment_sessions (store_id, id) on delete cascade
);
create index payment_events_session on payment_events (store_id, session_id, id);

create table refunds (
  store_id            text not null,
  id                  uuid not null,
  order_id            uuid not null,
  session_id          uuid,                    -- the payment through which it goes back; null: by hand
  status              text not null check (status in ('pending', 'succeeded', 'failed')),
  amount              numeric not null check (amount > 0),
  shipping            numeric not null check (shipping >= 0),
  reason              text,
  restock             boolean not null,
  actor               text not null,           -- who asked for it, for the movements of stock
  failure_reason      text,
  ask_at              timestamptz(3),          -- when the provider is to be asked, again if nobody has written its answer
  tries               smallint not null default 0,
  succeeded_at        timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  is_late             boolean not null default false,
  tax_amount          numeric check (tax_amount >= 0),
  shipping_tax_amount numeric check (shipping_tax_amount >= 0),
  tax_lines           json,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  foreign key (store_id, session_id) references payment_sessions (store_id, id),
  check ((status = 'pending') = (ask_at is not null))
);
create index refunds_order on refunds (store_id, order_id, created_at desc, id desc);
create index refunds_session on refunds (store_id, session_id) where session_id is not null;
-- The job reads what is due from this one, and nothing else.
create index refunds_due on refunds (ask_at) where ask_at is not null;

create table refund_items (
  store_id   text not null,
  refund_id  uuid not null,
  order_id   uuid not null,
  item_id    uuid not null,
  quantity   int not null check (quantity > 0),
  returned   int not null,
  amount     numeric not null check (amount >= 0),
  tax_amount numeric check (tax_amount >= 0),
  tax_lines  json,
  primary key (store_id, refund_id, item_id),
  foreign key (store_id, refund_id) references refunds (store_id, id) on delete cascade,
  foreign key (store_id, order_id, item_id) references order_items (store_id, order_id, id) on delete cascade,
  check (returned between 0 and quantity)
);
create index refund_items_item on refund_items (store_id, order_id, item_id);

create table disputes (
  store_id        text not null,
  id              uuid not null,
  session_id      uuid not null,
  reference       text not null,               -- by which the provider knows it
  status          text not null check (status in
    ('needs_response', 'under_review', 'won', 'lost')),
  amount          numeric not null check (amount >= 0),
  currency        text not null,
  reason          text,
  evidence_due_at timestamptz(3),
  closed_at       timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  constraint disputes_reference unique (store_id, session_id, reference),
  foreign key (store_id, session_id) references payment_sessions (store_id, id) on delete cascade
);

-- What a store has sold, as sums. A job works them out from the rows of the times that are noted in `unsummed`, whole
-- times and not differences: what was cancelled, refunded or deleted meanwhile counts no more. Who reads adds the times
-- that are still noted from the rows.
-- By quarter of an hour: the days of every time zone are made of those. A sale counts where its order was placed.
create table sales_sums (
  store_id            text not null references stores (id) on delete cascade,
  quarter             timestamptz(3) not null,  -- when it begins
  orders              int not null default 0,  -- that were not cancelled
  pieces              int not null default 0,
  subtotal            numeric not null default 0,
  discounts           numeric not null default 0,
  shipping            numeric not null default 0,
  tax                 numeric not null default 0,
  refunds             numeric not null default 0,  -- what was not kept of them
  sales               numeric not null default 0,  -- subtotal − discounts + shipping + tax − refunds
  new_customers       int not null default 0,
  checkouts_begun     int not null default 0,  -- by somebody who can be reached
  checkouts_completed int not null default 0,  -- of those
  carts_recovered     int not null default 0,
  recovered_sales     numeric not null default 0,
  primary key (store_id, quarter)
);

-- The same by day of the store, for what is looked at from far away: a year has 35,000 quarters.
create table sales_days (
  store_id            text not null references stores (id) on delete cascade,
  day                 date not null,
  orders              int not null,
  pieces              int not null,
  subtotal            numeric not null,
  discounts           numeric not null,
  shipping            numeric not null,
  tax                 numeric not null,
  refunds             numeric not null,
  sales               numeric not null,
  new_customers       int not null,
  checkouts_begun     int not null,
  checkouts_completed int not null,
  carts_recovered     int not null,
  recovered_sales     numeric not null,
  primary key (store_id, day)
);

-- By day of the store, and by what was sold, with which code, where to and how it was paid. Categories are those that
-- products have when somebody asks.
create table sales_by_day (
  store_id  text not null references stores (id) on delete cascade,
  kind      text not null check (kind in
    ('product', 'discount', 'country', 'payment_method')),
  day       date not null,
  key       text not null,                     -- an id, a code; '' where there is none
  label     text,                              -- what it was called
  orders    int not null,
  pieces    int not null,
  discounts numeric not null,
  refunds   numeric not null,
  sales     numeric not null,
  primary key (store_id, kind, day, key)
);

-- What is to be worked out anew. Writers only add rows, so that none waits for another.
create table unsummed (
  store_id text not null,
  position bigint generated by default as identity,
  kind     text not null,                      -- orders, customers or checkouts
  quarter  timestamptz(3) not null,
  primary key (store_id, "position")
);

create table unsummed_days (
  store_id text not null references stores (id) on delete cascade,
  day      date not null,
  primary key (store_id, day)
);

-- Active products of which few are left, or none: a row comes and goes when one becomes so, not with every sale.
create table scarce_products (
  store_id    text not null,
  product_id  uuid not null,
  is_sold_out boolean not null,
  primary key (store_id, product_id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);

-- The audit log tells of their rows.
select account_for('refunds', hidden => '{ask_at,tries}', private => '{reason}');
select account_for('refund_items', key => 'item_id');
select account_for('payment_methods', private => '{secrets}');
select account_for('payment_sessions', hidden => '{look_at,recheck_at,return_shown,ask_at,tries}'
  , private => '{return_url,redirect_url}');
