-- The hosted shop: pages, shipping rates, order bumps and checkouts.

-- The merchant's own pages, such as About us, terms and policies.
create table pages (
  store_id        text not null references stores (id) on delete cascade,
  id              uuid not null,
  kind            text not null default 'page' check (kind in
    ('page', 'terms', 'privacy', 'returns', 'shipping')),
  title           text not null,
  slug            text not null,
  body            text not null,               -- Markdown
  is_published    boolean not null default true,
  seo_title       text,
  seo_description text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  translations    json,
  primary key (store_id, id),
  constraint pages_slug unique (store_id, slug)
);
-- A store has one page of each policy kind.
create unique index pages_kind on pages (store_id, kind) where kind <> 'page';

create table shipping_rates (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  code             text not null,
  name             text,
  description      text,
  price            numeric not null check (price >= 0),
  free_from        numeric check (free_from >= 0),
  country_codes    text[] not null default '{}',  -- destinations; empty: everywhere
  requires_address boolean not null,
  position         int not null default 0,
  is_active        boolean not null default true,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  payment_methods  text[] not null default '{}',
  pickup_address   text,
  free_by_code     boolean not null default true,
  primary key (store_id, id),
  constraint shipping_rates_code unique (store_id, code),
  constraint shipping_rates_name
    check (name is not null or code in ('standard', 'express', 'local_delivery', 'pickup', 'digital'))
);

-- Offers at checkout: a product of the store, optionally at another price, or a custom item.
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
  constraint order_bumps_product foreign key (store_id, product_id) references products (store_id, id) on delete cascade,
  constraint order_bumps_variant foreign key (store_id, variant_id) references variants (store_id, id) on delete cascade,
  constraint order_bumps_price check (price is not null or product_id is not null)
);
create index order_bumps_of_product on order_bumps (store_id, product_id) where product_id is not null;
create index order_bumps_of_variant on order_bumps (store_id, variant_id) where variant_id is not null;

-- A shopper's checkout. With an email or phone it is a draft that merchants see.
create table checkouts (
  store_id           text not null references stores (id) on delete cascade,
  id                 uuid not null,
  token              text,                     -- sealed; null after the contact data is purged
  token_hash         bytea not null,
  status             text not null check (status in
    ('active', 'abandoned', 'recovered', 'expired', 'completed')),
  locale             text not null,
  customer_name      text,
  customer_email     text,
  customer_phone     text,
  shipping_address   json,
  items              json not null,            -- as last shown, with names and prices
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
  total              numeric not null,
  order_id           uuid,
  draft_since        timestamptz(3),           -- when a contact was first entered; null: not a draft
  abandoned_at       timestamptz(3),
  recovered_at       timestamptz(3),
  completed_at       timestamptz(3),
  recovery_opened_at timestamptz(3),
  letter_sent_at     timestamptz(3),
  due_at             timestamptz(3),           -- when it is abandoned, expires or is purged next
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  presets            text[] not null default '{}',
  recovery_hash      bytea,
  recovers           uuid,
  has_payments       boolean not null default false,
  tax_id             text,
  recovery_mail      text check (recovery_mail in ('queued', 'sent', 'withheld', 'failed')),
  primary key (store_id, id),
  constraint checkouts_token unique (store_id, token_hash),
  check (total = (((subtotal - discount) + shipping) + tax))
);
create index checkouts_status on checkouts (store_id, status, created_at desc, id desc) where draft_since is not null;
create index checkouts_created on checkouts (store_id, created_at desc, id desc)
  where draft_since is not null and status <> 'completed';
-- The sweep finds due checkouts here without reading anything else.
create index checkouts_due on checkouts (due_at) where due_at is not null;
create index checkouts_email on checkouts (store_id, lower(customer_email)) where customer_email is not null;
create unique index checkouts_recovery on checkouts (store_id, recovery_hash) where recovery_hash is not null;
-- Abandoned checkouts and their outcome: the 30-day sums read only this index.
create index checkouts_left on checkouts (store_id, abandoned_at) include (status, currency, total, order_id)
  where abandoned_at is not null;
create index checkouts_recovered on checkouts (store_id, recovered_at) where recovered_at is not null;
create index checkouts_phone on checkouts (store_id, regexp_replace(customer_phone, '\D', '', 'g'))
  where customer_phone is not null;

create function note_unsummed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into unsummed (store_id, kind, quarter)
    values (old.store_id, tg_argv[0], date_bin('15 minutes', old.created_at, 'epoch'));
  else
    insert into unsummed (store_id, kind, quarter)
    values (new.store_id, tg_argv[0], date_bin('15 minutes', new.created_at, 'epoch'));
  end if;
  return null;
end $$;

create function note_recovered() returns trigger language plpgsql as $$
begin
  insert into unsummed (store_id, kind, quarter)
  values (new.store_id, 'checkouts', date_bin('15 minutes', new.recovered_at, 'epoch'));
  return null;
end $$;

-- A new time zone moves the days: they are recomputed.
create function forget_days() returns trigger language plpgsql as $$
begin
  delete from sales_days where store_id = new.id;
  delete from sales_by_day where store_id = new.id;
  insert into unsummed_days (store_id, day)
  select distinct new.id, (quarter at time zone new.timezone)::date
  from sales_sums
  where store_id = new.id
  on conflict do nothing;
  return null;
end $$;

-- Null: enough in stock.
create function is_sold_out(status text, is_tracked boolean, stock int, low int) returns boolean
language sql immutable parallel safe as $$
  select case when status = 'active' and is_tracked and stock <= low then stock <= 0 end
$$;

create function note_scarce() returns trigger language plpgsql as $$
declare
  sold_out boolean := is_sold_out(new.product_status, new.track_inventory, new.stock_quantity, new.low_stock_threshold);
begin
  if sold_out is null then
    delete from scarce_products where store_id = new.store_id and product_id = new.id;
  else
    insert into scarce_products (store_id, product_id, is_sold_out)
    values (new.store_id, new.id, sold_out)
    on conflict (store_id, product_id) do update set is_sold_out = excluded.is_sold_out;
  end if;
  return null;
end $$;

-- Deleted checkouts still count: retention deletes them, not a change of sales.
create trigger unsummed_insert after insert on orders
  for each row execute function note_unsummed('orders');
create trigger unsummed_delete after delete on orders
  for each row execute function note_unsummed('orders');
create trigger unsummed_update after update on orders
  for each row when (
    (old.status, old.total, old.captured_amount, old.refunded_amount, old.payment_method, old.country_code,
      old.discount_code)
    is distinct from
    (new.status, new.total, new.captured_amount, new.refunded_amount, new.payment_method, new.country_code,
      new.discount_code))
  execute function note_unsummed('orders');
-- Deleted checkouts still count: retention deletes them, not a change of sales.
create trigger unsummed_insert after insert on customers
  for each row execute function note_unsummed('customers');
create trigger unsummed_delete after delete on customers
  for each row execute function note_unsummed('customers');
-- Deleted checkouts still count: retention deletes them, not a change of sales.
create trigger unsummed_insert after insert on checkouts
  for each row when (new.draft_since is not null)
  execute function note_unsummed('checkouts');
create trigger unsummed_update after update on checkouts
  for each row when (
    (old.draft_since is null) <> (new.draft_since is null)
    or (old.order_id is null) <> (new.order_id is null))
  execute function note_unsummed('checkouts');
create trigger unsummed_recovered after update on checkouts
  for each row when (old.recovered_at is null and new.recovered_at is not null)
  execute function note_recovered();
-- A new time zone moves the days: they are recomputed.
create trigger forget_days after update on stores
  for each row when (old.timezone <> new.timezone)
  execute function forget_days();
create trigger scarce_insert after insert on products
  for each row when (
    is_sold_out(new.product_status, new.track_inventory, new.stock_quantity, new.low_stock_threshold) is not null)
  execute function note_scarce();
create trigger scarce_update after update on products
  for each row when (
    is_sold_out(old.product_status, old.track_inventory, old.stock_quantity, old.low_stock_threshold)
    is distinct from
    is_sold_out(new.product_status, new.track_inventory, new.stock_quantity, new.low_stock_threshold))
  execute function note_scarce();

-- Tables in the audit log.
select account_for('shipping_rates');
select account_for('order_bumps');
select account_for('pages');
