-- What each sale changes, and lists are sorted and filtered by, stands a second time in narrow tables, with the indexes
-- for it. A sale leaves the indexes of the wide row as they are, so its new version stays in its page (HOT).

-- Makes the triggers that keep the narrow table of `source` like it, and fills it. It has the columns under their names.
create function list_apart(source text, variadic columns text[]) returns void language plpgsql as $$
declare
  target text := 'listed_' || source;
  own    text := array_to_string(columns, ', ');
  before text := 'old.' || array_to_string(columns, ', old.');
  after  text := 'new.' || array_to_string(columns, ', new.');
begin
  execute format('
    create function keep_%1$s() returns trigger language plpgsql as ''
    begin
      if tg_op = ''''INSERT'''' then
        insert into %1$s (store_id, id, %2$s) values (new.store_id, new.id, %3$s);
      elsif tg_op = ''''UPDATE'''' then
        update %1$s set (%2$s) = row(%3$s) where store_id = new.store_id and id = new.id;
      else
        delete from %1$s where store_id = old.store_id and id = old.id;
      end if;
      return null;
    end''', target, own, after);
  execute format('create trigger keep_listed_rows after insert or delete on %I for each row
    execute function keep_%s()', source, target);
  execute format('create trigger keep_listed after update of %s on %I for each row
    when ((%s) is distinct from (%s)) execute function keep_%s()', own, source, before, after, target);
  execute format('insert into %1$I (store_id, id, %2$s) select store_id, id, %2$s from %3$I', target, own, source);
end $$;

create table listed_products (
  store_id            text not null,
  id                  uuid not null,
  product_status      text not null,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  publish_at          timestamptz(3),
  price               numeric not null,
  stock_quantity      int not null,
  low_stock_threshold int not null,
  track_inventory     boolean not null,
  is_tracked          boolean not null,
  is_featured         boolean not null,
  variant_count       int not null,
  primary key (store_id, id)
);

create table listed_customers (
  store_id          text not null,
  id                uuid not null,
  orders_count      int not null,
  total_spent       numeric not null,
  last_order_at     timestamptz(3),
  accepts_marketing boolean not null,
  primary key (store_id, id)
);

select list_apart('products', 'product_status', 'created_at', 'updated_at', 'publish_at', 'price', 'stock_quantity',
  'low_stock_threshold', 'track_inventory', 'is_tracked', 'is_featured', 'variant_count');
select list_apart('customers', 'orders_count', 'total_spent', 'last_order_at', 'accepts_marketing');

create index listed_products_updated on listed_products (store_id, product_status, updated_at desc, id desc)
  include (created_at, price, stock_quantity, low_stock_threshold, track_inventory, is_tracked, is_featured,
    variant_count);
create index listed_customers_orders on listed_customers (store_id, orders_count desc, id desc);
create index listed_customers_spent on listed_customers (store_id, total_spent desc, id desc);
create index listed_customers_last_order on listed_customers (store_id, last_order_at desc nulls last, id desc);

drop index products_updated, customers_orders, customers_spent, customers_last_order;
alter table products set (fillfactor = 85);
alter table customers set (fillfactor = 85);

-- They tell that reads of these tables depend on the versions, which the rows that they follow move.
create trigger follow_catalog after update on listed_products
for each row when (false) execute function follow_version('catalog', '');
create trigger follow_customers after update on listed_customers
for each row when (false) execute function follow_version('customers', '');

-- Planned for a large store, as the tables that they follow.
do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    alter table listed_products alter column store_id set (n_distinct = 3);
    alter table listed_customers alter column store_id set (n_distinct = 3);
    if exists (select from listed_products) then analyze listed_products; end if;
    if exists (select from listed_customers) then analyze listed_customers; end if;
  end if;
end $$;
