-- The states of orders, as 0120 has the stock of products: an order that is paid, fulfilled or archived leaves the
-- indexes of its wide row as they are.

create table listed_orders (
  store_id           text not null,
  id                 uuid not null,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  status             text not null,
  payment_status     text not null,
  fulfillment_status text not null,
  is_archived        boolean not null,
  order_number       bigint not null,
  total              numeric not null,
  country_code       text,
  province           text,
  country            text,
  channel            text,
  agent              text,
  primary key (store_id, id)
);

select list_apart('orders', 'created_at', 'updated_at', 'status', 'payment_status', 'fulfillment_status',
  'is_archived', 'order_number', 'total', 'country_code', 'province', 'country', 'channel', 'agent');

create index listed_orders_created on listed_orders (store_id, created_at desc, id desc)
  include (status, payment_status, order_number, total, country_code, province, country, fulfillment_status,
    is_archived, channel, agent);
create index listed_orders_status on listed_orders (store_id, status, created_at desc, id desc)
  include (is_archived, payment_status);
create index listed_orders_updated on listed_orders (store_id, updated_at desc, id desc);
create index listed_orders_to_fulfill on listed_orders (store_id, created_at desc, id desc) include (is_archived)
  where fulfillment_status in ('unfulfilled', 'partial')
    and status in ('pending', 'confirmed', 'in_progress')
    and payment_status in ('pending', 'paid');
create index listed_orders_to_pay on listed_orders (store_id, created_at desc, id desc) include (is_archived)
  where payment_status in ('pending', 'failed')
    and status in ('pending', 'confirmed', 'in_progress');

drop index orders_created, orders_status, orders_updated, orders_to_fulfill, orders_to_pay;
create index orders_created on orders (store_id, created_at desc, id desc)
  include (order_number, search_text, phone_digits, customer_name);
alter table orders set (fillfactor = 85);

create trigger follow_orders after update on listed_orders
for each row when (false) execute function follow_version('orders', '');

do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    alter table listed_orders alter column store_id set (n_distinct = 3);
    if exists (select from listed_orders) then analyze listed_orders; end if;
  end if;
end $$;

drop function list_apart;
