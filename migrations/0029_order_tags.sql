-- Orders have tags, and can be archived: the dashboard leaves archived ones out of its lists.

alter table orders
  add column tags text[] not null default '{}',
  add column is_archived boolean not null default false,
  add column archived_at timestamptz(3),
  add constraint orders_archived check (is_archived = (archived_at is not null));
alter table store_counters add column orders_archived int not null default 0 check (orders_archived >= 0);

create index orders_tags on orders using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';

-- Lists and the counts of the dashboard's tabs leave archived orders out without reading rows.
drop index orders_created;
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status, customer_name, is_archived);
drop index orders_status;
create index orders_status on orders (store_id, status, created_at desc, id desc) include (is_archived);
drop index orders_to_fulfill;
create index orders_to_fulfill on orders (store_id, created_at desc, id desc) include (is_archived)
  where fulfillment_status in ('unfulfilled', 'partial')
    and status in ('pending', 'confirmed', 'in_progress')
    and payment_status in ('pending', 'paid');
create index orders_to_pay on orders (store_id, created_at desc, id desc) include (is_archived)
  where payment_status in ('pending', 'failed')
    and status in ('pending', 'confirmed', 'in_progress');
