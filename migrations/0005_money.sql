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
  settings     json not null default '{}',     -- as the API shows them: secrets only as "set"
  secrets      text,                           -- the secret settings, sealed
  primary key (store_id, id),
  constraint payment_methods_code unique (store_id, code),
  constraint payment_methods_name
    check (name is not null or code in ('cod', 'bank_transfer', 'cash', 'card', 'wallet', 'other'))
);

-- One payment: a shopper's attempt with a provider, or one a merchant recorded by hand.
create table payment_sessions (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  checkout_id       uuid,                      -- the checkout that it pays for
  order_id          uuid,
  method_id         uuid,                      -- whose settings apply; null: recorded by hand
  method            text,                      -- the method's code
  provider          text not null,
  reference         text,                      -- the provider's id; null until it answers
  return_url        text,                      -- where the provider sends the shopper back
  redirect_url      text,                      -- the provider's payment page
  status            text not null check (status in
    ('pending', 'requires_action', 'processing', 'authorized', 'captured', 'failed', 'cancelled', 'expired')),
  purpose           text not null check (purpose in ('order', 'return')), -- captured money places an order, or is refunded
  amount            numeric not null check (amount >= 0),
  currency          text not null,
  authorized_amount numeric not null default 0 check (authorized_amount >= 0),
  captured_amount   numeric not null default 0 check (captured_amount >= 0),
  refunded_amount   numeric not null default 0 check (refunded_amount >= 0),
  needs_review      boolean not null default false,
  trouble           text,                      -- why a payment has no order, or a refund failed
  look_at           timestamptz(3),            -- when to ask the provider next; null: nothing open
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  refunding_amount  numeric not null default 0 check (refunding_amount >= 0),
  capturable_amount numeric not null default 0 check (capturable_amount >= 0), -- as the provider last reported
  capturing_amount  numeric not null default 0 check (capturing_amount >= 0),
  asked_id          uuid,                      -- the event that requested a capture or a release
  asked_at          timestamptz(3),
  ask_at            timestamptz(3),            -- when to send the request, or to retry it
  tries             smallint not null default 0,
  is_late           boolean not null default false, -- without an answer for more than a day
  lost_amount       numeric not null default 0, -- part of refunded_amount lost in disputes
  recheck_at        timestamptz(3),            -- when to check settled payments for later changes
  return_shown      boolean not null default false,
  primary key (store_id, id),
  constraint payment_sessions_method foreign key (store_id, method_id) references payment_methods (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  constraint payment_sessions_asked
    check ((asked_id is null) = (ask_at is null)
    and (asked_id is null) = (asked_at is null)
    and (asked_id is not null or (capturing_amount = 0 and not is_late))),
  constraint payment_sessions_lost check (lost_amount between 0 and refunded_amount)
);
create unique index payment_sessions_reference on payment_sessions (store_id, provider, reference)
  where reference is not null;
-- A checkout has one open payment at a time. A changed amount replaces it.
create unique index payment_sessions_open on payment_sessions (store_id, checkout_id)
  where purpose = 'order' and order_id is null and status not in ('failed', 'cancelled', 'expired');
create unique index payment_sessions_by_hand on payment_sessions (store_id, order_id) where provider = 'manual';
create index payment_sessions_created on payment_sessions (store_id, created_at desc, id desc);
create index payment_sessions_review on payment_sessions (store_id, created_at desc, id desc) where needs_review;
create index payment_sessions_checkout on payment_sessions (store_id, checkout_id) where checkout_id is not null;
create index payment_sessions_order on payment_sessions (store_id, order_id, created_at desc, id desc)
  where order_id is not null;
create index payment_sessions_method on payment_sessions (store_id, method_id) where method_id is not null;
-- The job finds due rows here without reading anything else.
create index payment_sessions_due on payment_sessions (look_at) where look_at is not null;
-- Due payments by store, so that stores take turns.
create index payment_sessions_due_turns on payment_sessions (store_id, look_at) where look_at is not null;
-- Money without an order.
create index payment_sessions_stray on payment_sessions (store_id)
  where order_id is null and captured_amount > refunded_amount;
-- The job finds due rows here without reading anything else.
create index payment_sessions_asked on payment_sessions (ask_at) where ask_at is not null;
create index payment_sessions_asked_turns on payment_sessions (store_id, ask_at) where ask_at is not null;
-- Requests without an answer for a day, until they are reported.
create index payment_sessions_overdue on payment_sessions (asked_at) where asked_at is not null and not is_late;
-- The job finds due rows here without reading anything else.
create index payment_sessions_recheck on payment_sessions (recheck_at) where recheck_at is not null;
create index payment_sessions_recheck_turns on payment_sessions (store_id, recheck_at) where recheck_at is not null;
create index payment_sessions_to_capture on payment_sessions (store_id, created_at desc, id desc)
  where order_id is not null
    and capturable_amount > 0
    and asked_id is null
    and trouble is distinct from 'release_failed';

-- Requests to providers and their answers, append-only. Every amount above is a sum of these rows. `key` is the
-- provider's id of the event, or derived from it, so that the same event is recorded once.
create table payment_events (
  store_id   text not null,
  id         uuid not null,
  session_id uuid not null,
  provider   text not null,
  key        text not null,
  kind       text not null check (kind in
    ('authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
    'refund_reversed', 'cancel_asked', 'cancel_failed', 'cancelled', 'failed', 'expired', 'disputed',
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
  session_id          uuid,                    -- the refunded payment; null: refunded by hand
  status              text not null check (status in ('pending', 'succeeded', 'failed')),
  amount              numeric not null check (amount > 0),
  shipping            numeric not null check (shipping >= 0),
  reason              text,
  restock             boolean not null,
  actor               text not null,           -- recorded with the stock adjustments
  failure_reason      text,
  ask_at              timestamptz(3),          -- when to send the request, or to retry it without an answer
  tries               smallint not null default 0,
  succeeded_at        timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  is_late             boolean not null default false,
  tax_amount          numeric check (tax_amount >= 0),
  shipping_tax_amount numeric check (shipping_tax_amount >= 0),
  tax_lines           json,
  overpayment         numeric not null default 0, -- part of the amount
  -- A refund that comes with a change of the order's status says nothing of stock: that change decides.
  leaves_stock        boolean not null default false,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  foreign key (store_id, session_id) references payment_sessions (store_id, id),
  check ((status = 'pending') = (ask_at is not null)),
  constraint refunds_overpayment check (overpayment between 0 and amount)
);
create index refunds_order on refunds (store_id, order_id, created_at desc, id desc);
create index refunds_session on refunds (store_id, session_id) where session_id is not null;
-- The job finds due rows here without reading anything else.
create index refunds_due on refunds (ask_at) where ask_at is not null;
create index refunds_due_turns on refunds (store_id, ask_at) where ask_at is not null;
create index refunds_overdue on refunds (created_at) where ask_at is not null and not is_late;
create index refunds_succeeded on refunds (store_id, succeeded_at) where succeeded_at is not null;

create table refund_items (
  store_id      text not null,
  refund_id     uuid not null,
  order_id      uuid not null,
  item_id       uuid not null,
  quantity      int not null check (quantity > 0),
  returned      int not null,
  amount        numeric not null check (amount >= 0),
  tax_amount    numeric check (tax_amount >= 0),
  tax_lines     json,
  -- Units that are in stock though their refund failed later; below zero: those that a later refund took over.
  kept_in_stock integer not null default 0,
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
  reference       text not null,               -- the provider's id
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
create index disputes_to_answer on disputes (store_id, evidence_due_at) include (session_id)
  where status = 'needs_response';
create index disputes_created on disputes (store_id, created_at desc);

-- Sales rollups. A job recomputes whole quarters of an hour listed in `unsummed`, not differences, so that cancelled,
-- refunded and deleted orders drop out. Reports add the listed quarters from the orders themselves.
-- Quarters of an hour add up to days in every time zone. A sale counts in the quarter its order was placed in.
create table sales_sums (
  store_id            text not null references stores (id) on delete cascade,
  quarter             timestamptz(3) not null, -- start of the quarter
  orders              int not null default 0,  -- without cancelled ones
  pieces              int not null default 0,
  subtotal            numeric not null default 0,
  discounts           numeric not null default 0,
  shipping            numeric not null default 0,
  tax                 numeric not null default 0,
  refunds             numeric not null default 0, -- refunded amounts
  sales               numeric not null default 0, -- subtotal − discounts + shipping + tax − refunds
  new_customers       int not null default 0,
  checkouts_begun     int not null default 0,  -- with an email or phone
  checkouts_completed int not null default 0,  -- among them
  carts_recovered     int not null default 0,
  recovered_sales     numeric not null default 0,
  primary key (store_id, quarter)
);

-- The same by day in the store's time zone, for long periods: a year has 35,000 quarters.
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

-- Sales by day and by product, discount, country or payment method. Reports by category use the products' current
-- categories.
create table sales_by_day (
  store_id  text not null references stores (id) on delete cascade,
  kind      text not null check (kind in ('product', 'discount', 'country', 'payment_method', 'channel')),
  day       date not null,
  key       text not null,                     -- an id or a code; '' if there is none
  label     text,                              -- its name at the time
  orders    int not null,
  pieces    int not null,
  discounts numeric not null,
  refunds   numeric not null,
  sales     numeric not null,
  primary key (store_id, kind, day, key)
);

-- Quarters to recompute. Writers only insert, so that none waits for another.
create table unsummed (
  store_id text not null,
  position bigint generated by default as identity,
  kind     text not null,                      -- orders, customers or checkouts
  quarter  timestamptz(3) not null,
  primary key (store_id, kind, quarter, position)
);

create table unsummed_days (
  store_id text not null references stores (id) on delete cascade,
  day      date not null,
  primary key (store_id, day)
);
create index unsummed_days_day on unsummed_days (day);

-- Active products that are low on stock or sold out. A row changes when a product becomes so, not with every sale.
create table scarce_products (
  store_id    text not null,
  product_id  uuid not null,
  is_sold_out boolean not null,
  -- When a product became low on stock; null if that is not known.
  since       timestamptz(3),
  primary key (store_id, product_id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index scarce_products_state on scarce_products (store_id, is_sold_out);
create index scarce_products_since on scarce_products (store_id, since desc) where since is not null;

-- Tables in the audit log.
select account_for('refunds', hidden => '{ask_at,tries}', private => '{reason}');

select account_for('refund_items', key => 'item_id');
select account_for('payment_methods', private => '{secrets}');
select account_for('payment_sessions', hidden => '{look_at,recheck_at,return_shown,ask_at,tries}'
  , private => '{return_url,redirect_url}');
select follow('payment_methods', 'settings');
select follow(source, 'orders') from unnest('{refunds,refund_items,disputes}'::text[]) as source;
