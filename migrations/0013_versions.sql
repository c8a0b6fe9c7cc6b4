-- Versions of what the answers of a store are made of: its credentials, settings, catalog, discounts, customers and
-- orders. A write moves the versions of what it changes in its own transaction, so an answer in memory is current while
-- its versions are.

-- A version is the sum of its column over all rows of the store. There are as many rows as transactions have written at
-- once: none of them waits for another.
create table store_versions (
  store_id  text not null,
  slot      int not null,
  access    bigint not null default 0,
  settings  bigint not null default 0,
  catalog   bigint not null default 0,
  discounts bigint not null default 0,
  customers bigint not null default 0,
  orders    bigint not null default 0,
  primary key (store_id, slot)
) with (fillfactor = 50);

insert into store_versions (store_id, slot, settings)
select id, 0, 1 + floor(random() * 1000000)
from stores;

-- Moves a version of a store. The step is random: after a failover that lost commits, no version comes back.
create function move_version(owner text, subject text) returns void language plpgsql as $$
declare
  step bigint := 1 + floor(random() * 1000000);
begin
  update store_versions
  set access = access + case subject when 'access' then step else 0 end,
    settings = settings + case subject when 'settings' then step else 0 end,
    catalog = catalog + case subject when 'catalog' then step else 0 end,
    discounts = discounts + case subject when 'discounts' then step else 0 end,
    customers = customers + case subject when 'customers' then step else 0 end,
    orders = orders + case subject when 'orders' then step else 0 end
  where store_versions.store_id = owner
    and slot = (
      select idle.slot
      from store_versions as idle
      where idle.store_id = owner
      order by idle.slot
      limit 1
      for update skip locked);
  if not found then
    execute format('insert into store_versions (store_id, slot, %I) values ($1, $2, $3)', subject)
    using owner, floor(random() * 2147483647)::int, step;
  end if;
end $$;

-- The first row that a transaction changes moves the version; the setting names those that it has moved.
create function follow_version() returns trigger language plpgsql as $$
declare
  owner   text;
  subject text := tg_argv[0];
  moved   text := current_setting('stoa.moved', true);
begin
  if tg_op = 'DELETE' then
    if tg_table_name = 'stores' then owner := old.id; else owner := old.store_id; end if;
  else
    if tg_table_name = 'stores' then owner := new.id; else owner := new.store_id; end if;
  end if;
  if strpos(moved, concat(',', subject, owner, ',')) > 0 then
    return null;
  end if;
  -- A transaction of many stores moves a version again rather than search a long text.
  moved := set_config('stoa.moved', concat(right(moved, 1000), ',', subject, owner, ','), true);
  perform move_version(owner, subject);
  return null;
end $$;

-- The stores of a plan show what it allows.
create function follow_plan() returns trigger language plpgsql as $$
begin
  perform move_version(id, 'settings') from stores where plan_id = new.id;
  return null;
end $$;
create trigger follow_plan after update on plans for each row execute function follow_plan();

-- Makes the triggers that move the version `subject` with the rows of `source`, or with some of its columns alone.
-- `moments` are the columns with times that change what is read of a row, without a write.
create function follow(source text, subject text, columns text default null, moments text default '')
returns void language plpgsql as $$
begin
  execute format('create trigger %I after insert or delete on %I for each row execute function follow_version(%L)',
    'follow_' || subject || '_rows', source, subject);
  execute format('create trigger %I after update %s on %I for each row execute function follow_version(%L, %L)',
    'follow_' || subject, 'of ' || columns, source, subject, moments);
end $$;

select follow('api_keys', 'access', 
  'id, name, mode, hash, last4, scopes, policy, is_active, expires_at, created_at, updated_at');
select follow(source, 'settings')
from unnest('{stores,store_slugs,mail_settings,tax_zones,payment_methods,pages,shipping_rates,order_bumps}'::text[])
  as source;
select follow(source, 'catalog')
from unnest('{categories,category_slugs,products,product_slugs,variants,collections,collection_products,
  collection_slugs,media}'::text[]) as source;
select follow('discounts', 'discounts', moments => 'starts_at,expires_at');
select follow('customers', 'customers');
select follow(source, 'orders')
from unnest('{orders,order_items,fulfillments,fulfillment_items,refunds,refund_items,disputes}'::text[]) as source;
select follow('store_counters', 'catalog',
  'products_active, products_draft, products_archived, categories, collections');
select follow('store_counters', 'discounts', 'discounts');
select follow('store_counters', 'customers', 'customers');
select follow('store_counters', 'orders', 'orders');
select follow('store_counters', 'access', 'api_keys, staff, webhooks');
