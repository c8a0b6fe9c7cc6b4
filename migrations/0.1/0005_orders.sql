-- Orders and their items, with what was sold as it then was.

create table orders (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  order_number     bigint not null,
  status           text not null
    check (status in ('pending', 'confirmed', 'in_progress', 'completed', 'cancelled', 'returned')),
  payment_status   text not null check (payment_status in ('pending', 'paid', 'refunded', 'failed')),
  payment_method   text,
  shipping_method  text,
  currency         text not null,
  customer_id      uuid,
  customer_name    text,
  customer_phone   text,
  customer_email   text,
  subtotal         numeric not null check (subtotal >= 0),
  discount_amount  numeric not null check (discount_amount between 0 and subtotal),
  shipping_cost    numeric not null check (shipping_cost >= 0),
  tax_amount       numeric not null check (tax_amount >= 0),
  total            numeric not null check (total = subtotal - discount_amount + shipping_cost + tax_amount),
  discount_id      uuid,   -- whose use it took; the discount may be gone
  discount_code    text,
  free_shipping    boolean not null,
  customer_notes   text,
  internal_notes   text,
  shipping_address json,
  country_code     text,
  item_count       int not null,
  order_bumps      json,
  custom_fields    json not null default '[]',
  cancel_reason    text check (cancel_reason in ('customer', 'declined', 'fraud', 'inventory', 'staff', 'other')),
  cancelled_at     timestamptz(3),
  completed_at     timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,

  -- What lists compare, short enough for an index: search_text is lower-case, without accents, name and e-mail.
  search_text      text not null check (length(search_text) <= 200),
  phone_digits     text generated always as (regexp_replace(customer_phone, '\D', '', 'g')) stored,
  city             text generated always as (left(lower(shipping_address ->> 'city'), 60)) stored,
  province         text generated always as (left(lower(shipping_address ->> 'province'), 60)) stored,
  country          text generated always as (left(lower(shipping_address ->> 'country'), 60)) stored,

  primary key (store_id, id),
  constraint orders_number unique (store_id, order_number),
  constraint orders_customer foreign key (store_id, customer_id)
    references customers (store_id, id) on delete set null (customer_id)
);
-- Any filter that has no index of its own is answered from this one alone, in the order of the list.
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits);
create index orders_status on orders (store_id, status, created_at desc, id desc);
create index orders_customer on orders (store_id, customer_id, created_at desc, id desc);
create index orders_city on orders (store_id, city, created_at desc, id desc) where city is not null;
create index orders_updated on orders (store_id, updated_at desc, id desc);
create index orders_total on orders (store_id, total, id);
create index orders_customer_name on orders (store_id, customer_name, id);

-- No foreign keys to products and variants: an item stays when they go. Ids are in the order of the lines.
create table order_items (
  store_id     text not null,
  order_id     uuid not null,
  id           uuid not null,
  product_id   uuid,   -- null: a line that is no product of the store
  variant_id   uuid,
  product_name text not null,
  variant_name text,
  sku          text,
  quantity     int not null check (quantity > 0),
  unit_price   numeric not null check (unit_price >= 0),
  total_price  numeric not null check (total_price = unit_price * quantity),
  adjustments  json not null default '[]',
  created_at   timestamptz(3) not null,
  primary key (store_id, order_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);

-- What an order took from stock is what its cancellation puts back.
create index inventory_transactions_order on inventory_transactions (store_id, order_id) where order_id is not null;
