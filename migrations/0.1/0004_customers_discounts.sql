-- Customers, with what their orders add up to, and discounts, with how often they were used.

create table customers (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,
  name          text not null,
  email         text,
  phone         text,
  phone_key     text,   -- E.164 where the number is one, else its digits: what phones are matched by
  notes         text,
  orders_count  int not null default 0 check (orders_count >= 0),
  total_spent   numeric not null default 0,
  last_order_at timestamptz(3),
  last_order_id uuid,
  search_text   text not null,   -- lower-case, without accents: name, e-mail, phone as written and in digits
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  primary key (store_id, id)
);
-- Not unique: a merchant may keep two records of one address. Orders match the oldest.
create index customers_email on customers (store_id, lower(email), id) where email is not null;
create index customers_phone on customers (store_id, phone_key, id) where phone_key is not null;
create index customers_created on customers (store_id, created_at desc, id desc);
create index customers_updated on customers (store_id, updated_at desc, id desc);
create index customers_name on customers (store_id, name, id);
create index customers_orders on customers (store_id, orders_count desc, id desc);
create index customers_spent on customers (store_id, total_spent desc, id desc);
create index customers_last_order on customers (store_id, last_order_at desc nulls last, id desc);

create table discounts (
  store_id                text not null references stores (id) on delete cascade,
  id                      uuid not null,
  code                    text not null check (code ~ '^[A-Z0-9_-]{1,50}$'),
  type                    text not null check (type in ('percentage', 'fixed_amount', 'free_shipping')),
  value                   numeric not null check (value >= 0),
  min_order_amount        numeric not null default 0 check (min_order_amount >= 0),
  max_uses                int not null default 0 check (max_uses >= 0),   -- 0: as often as one likes
  current_uses            int not null default 0 check (current_uses >= 0),
  starts_at               timestamptz(3),
  expires_at              timestamptz(3),
  is_active               boolean not null default true,
  applies_to_all          boolean not null default true,
  applicable_product_ids  uuid[] not null default '{}',
  applicable_category_ids uuid[] not null default '{}',
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  primary key (store_id, id),
  constraint discounts_code unique (store_id, code)
);
create index discounts_created on discounts (store_id, created_at desc, id desc);
create index discounts_updated on discounts (store_id, updated_at desc, id desc);
