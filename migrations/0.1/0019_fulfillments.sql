-- What of an order has left the house, in which parcels.

alter table order_items
  add column fulfilled_quantity int not null default 0,
  add constraint order_items_fulfilled check (fulfilled_quantity between 0 and quantity);

-- Follows from the items, for lists. Every filter of the list is answered from orders_created alone.
alter table orders
  add column fulfillment_status text not null default 'unfulfilled'
    check (fulfillment_status in ('unfulfilled', 'partial', 'fulfilled'));
drop index orders_created;
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status);

create table fulfillments (
  store_id        text not null,
  id              uuid not null,
  order_id        uuid not null,
  carrier         text,
  tracking_number text,
  tracking_url    text,
  shipped_at      timestamptz(3) not null,
  delivered_at    timestamptz(3),
  cancelled_at    timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index fulfillments_order on fulfillments (store_id, order_id, created_at desc, id desc);

create table fulfillment_items (
  store_id       text not null,
  fulfillment_id uuid not null,
  order_id       uuid not null,
  item_id        uuid not null,
  quantity       int not null check (quantity > 0),
  primary key (store_id, fulfillment_id, item_id),
  foreign key (store_id, fulfillment_id) references fulfillments (store_id, id) on delete cascade,
  foreign key (store_id, order_id, item_id) references order_items (store_id, order_id, id) on delete cascade
);
create index fulfillment_items_item on fulfillment_items (store_id, order_id, item_id);
