-- Groups of customers, by rules and by hand. Discounts can be limited to them.

create table customer_groups (
  store_id             text not null references stores (id) on delete cascade,
  id                   uuid not null,
  name                 text not null,
  description          text,
  match                text not null default 'all' check (match in ('all', 'any')),
  min_total_spent      numeric check (min_total_spent >= 0),
  max_total_spent      numeric check (max_total_spent >= 0),
  min_orders_count     int check (min_orders_count >= 0),
  max_orders_count     int check (max_orders_count >= 0),
  min_days_since_order int check (min_days_since_order >= 0),
  max_days_since_order int check (max_days_since_order >= 0),
  country_codes        text[] not null default '{}',
  provinces            text[] not null default '{}',       -- ISO 3166-2 codes
  customer_tags        text[] not null default '{}',
  accepts_marketing    boolean,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index customer_groups_name on customer_groups (store_id, lower(name));
select account_for('customer_groups');

-- By hand, a customer is added to groups; a deleted group may stay there, so that it comes back with its customers.
-- The place of the last order is kept with its time: rules read nothing but the customer's row.
alter table customers
  add column group_ids          uuid[] not null default '{}',
  add column last_country_code  text,
  add column last_province_code text;

create index customers_groups on customers using gin (store_id, group_ids)
  with (gin_pending_list_limit = 64) where group_ids <> '{}';

update customers
set last_country_code = orders.country_code,
    last_province_code = orders.shipping_address ->> 'province_code'
from orders
where orders.store_id = customers.store_id
  and orders.id = customers.last_order_id;

alter table discounts add column customer_group_ids uuid[] not null default '{}';  -- empty: for all customers
