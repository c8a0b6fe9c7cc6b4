-- What a store's checkout offers, and the checkouts themselves.

alter table stores
  add column tax_rate                       numeric not null default 0 check (tax_rate between 0 and 100),   -- percent
  add column tax_included                   boolean not null default false,   -- prices contain it
  add column tax_shipping                   boolean not null default false,   -- shipping is taxed too
  add column checkout_abandon_after_minutes int check (checkout_abandon_after_minutes between 10 and 1440),
  add column recovery_email_enabled         boolean not null default true;

create table shipping_rates (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  code             text not null,
  name             text,
  description      text,
  price            numeric not null check (price >= 0),
  free_from        numeric check (free_from >= 0),
  country_codes    text[] not null default '{}',   -- where it ships to; none: everywhere
  requires_address boolean not null,
  position         int not null default 0,
  is_active        boolean not null default true,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (store_id, id),
  constraint shipping_rates_code unique (store_id, code),
  constraint shipping_rates_name check (name is not null or code in ('standard', 'express', 'local_delivery', 'pickup', 'digital'))
);

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
  primary key (store_id, id),
  constraint payment_methods_code unique (store_id, code),
  constraint payment_methods_name check (name is not null or code in ('cod', 'bank_transfer', 'cash', 'card', 'wallet', 'other'))
);

-- Offers shown at the checkout: a product of the store, perhaps at another price, or something that is no product.
create table order_bumps (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  title       text not null,
  description text,
  price       numeric check (price >= 0),
  product_id  uuid,
  variant_id  uuid,
  image       text,
  position    int not null default 0,
  is_active   boolean not null default true,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (store_id, id),
  constraint order_bumps_price check (price is not null or product_id is not null),
  constraint order_bumps_product foreign key (store_id, product_id) references products (store_id, id) on delete cascade,
  constraint order_bumps_variant foreign key (store_id, variant_id) references variants (store_id, id) on delete cascade
);
create index order_bumps_of_product on order_bumps (store_id, product_id) where product_id is not null;
create index order_bumps_of_variant on order_bumps (store_id, variant_id) where variant_id is not null;

-- A shopper's cart on its way to an order. Once an e-mail or a phone is known it is a draft that merchants see.
create table checkouts (
  store_id           text not null references stores (id) on delete cascade,
  id                 uuid not null,
  token              text,             -- sealed; null once the draft's contact data is purged
  token_hash         bytea not null,
  status             text not null check (status in ('active', 'abandoned', 'recovered', 'expired', 'completed')),
  locale             text not null,
  customer_name      text,
  customer_email     text,
  customer_phone     text,
  shipping_address   json,
  items              json not null,    -- as they were last shown: names and prices too
  order_bumps        json not null,
  bump_ids           uuid[] not null,
  discount_code      text,
  shipping_method    text,
  payment_method     text,
  customer_notes     text,
  currency           text not null,
  subtotal           numeric not null,
  discount           numeric not null,
  shipping           numeric not null,
  tax                numeric not null,
  total              numeric not null check (total = subtotal - discount + shipping + tax),
  order_id           uuid,
  draft_since        timestamptz(3),   -- when its first contact came; null: no draft
  abandoned_at       timestamptz(3),
  recovered_at       timestamptz(3),
  completed_at       timestamptz(3),
  recovery_opened_at timestamptz(3),
  letter_due_at      timestamptz(3),   -- when the recovery mail is to be sent, or tried again
  letter_tries       smallint not null default 0,
  letter_sent_at     timestamptz(3),
  due_at             timestamptz(3),   -- when time alone will change it next
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  primary key (store_id, id),
  constraint checkouts_token unique (store_id, token_hash)
);
create index checkouts_status on checkouts (store_id, status, created_at desc, id desc) where draft_since is not null;
create index checkouts_created on checkouts (store_id, created_at desc, id desc)
  where draft_since is not null and status <> 'completed';
-- The sweep reads what is due from these, and nothing else.
create index checkouts_due on checkouts (due_at) where due_at is not null;
create index checkouts_letters on checkouts (letter_due_at) where letter_due_at is not null;
create index checkouts_lettered on checkouts (store_id, lower(customer_email)) where letter_sent_at is not null;

-- What a payment provider answered for an order.
create table payments (
  store_id    text not null,
  id          uuid not null,
  order_id    uuid not null,
  provider    text not null,
  reference   text not null,
  status      text not null check (status in ('pending', 'paid')),
  amount      numeric not null,
  currency    text not null,
  created_at  timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index payments_of_order on payments (store_id, order_id);

-- Who wants no recovery mail of a store, by the SHA-256 of the lower-case address.
create table mail_refusals (
  store_id   text not null references stores (id) on delete cascade,
  email_hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (store_id, email_hash)
);

-- Whether somebody has placed an order is asked by their contacts as the order has them.
create index orders_email on orders (store_id, lower(customer_email), created_at desc) where customer_email is not null;
create index orders_phone on orders (store_id, right(phone_digits, 8), created_at desc) where phone_digits is not null;
