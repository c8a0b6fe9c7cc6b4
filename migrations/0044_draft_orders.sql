-- Draft orders: what a merchant has put together for a customer before it is an order. A link pays it.

create table draft_orders (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  order_id         uuid,                        -- the order that it became
  checkout_id      uuid,                        -- what its link pays; null: it has no link
  customer_id      uuid,
  customer_name    text,
  customer_phone   text,
  customer_email   text,
  tax_id           text,
  shipping_address json,
  country_code     text,
  shipping_method  text,
  shipping_price   numeric,                     -- by hand; null: that of the method
  payment_method   text,
  discount_code    text,
  discount_type    text check (discount_type in ('percentage', 'fixed_amount')),
  discount_value   numeric,
  locale           text,
  customer_notes   text,
  internal_notes   text,
  tags             text[] not null default '{}',
  items            json not null,               -- as last priced, with names and prices
  item_count       int not null,
  currency         text not null,
  subtotal         numeric not null,
  discount_amount  numeric not null,
  shipping_cost    numeric not null,
  tax_amount       numeric not null,
  included_tax     numeric not null,
  total            numeric not null,
  link_sent_at     timestamptz(3),              -- when it was last emailed
  link_expires_at  timestamptz(3),
  search_text      text not null,
  blocked_at       timestamptz(3),              -- when a customer could not pay it
  completed_at     timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (store_id, id),
  check (total = (((subtotal - discount_amount) + shipping_cost) + tax_amount)),
  check ((discount_type is null) = (discount_value is null)),
  check ((checkout_id is null) = (link_expires_at is null))
);

create index draft_orders_newest on draft_orders (store_id, created_at desc, id desc);
create index draft_orders_customer on draft_orders (store_id, customer_id) where customer_id is not null;
create index draft_orders_email on draft_orders (store_id, lower(customer_email)) where customer_email is not null;

select account_for('draft_orders', private =>
  '{customer_name,customer_phone,customer_email,tax_id,shipping_address,customer_notes,internal_notes}');

alter table checkouts add column draft_order_id uuid;  -- whose link it pays
alter table mails add column draft_order_id uuid;
create index mails_draft_order on mails (store_id, draft_order_id) where draft_order_id is not null;
