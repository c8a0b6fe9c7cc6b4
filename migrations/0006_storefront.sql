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
  country_codes    text[] not null default '{}', -- destinations; empty: everywhere
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
  draft_order_id     uuid,
  channel            text check (channel in ('shop', 'api', 'dashboard', 'agent')),
  agent              text check (length(agent) between 1 and 200),
  -- A link that hands a checkout over opens a copy of it: what its visitor enters stays with their browser.
  continues          uuid,                     -- the checkout whose link the browser came by
  placed_in          uuid,
  primary key (store_id, id),
  constraint checkouts_token unique (store_id, token_hash),
  check (total = (((subtotal - discount) + shipping) + tax)),
  constraint checkouts_agent check (agent is null or channel = 'agent')
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
    insert into scarce_products (store_id, product_id, is_sold_out, since)
    values (new.store_id, new.id, sold_out, new.updated_at)
    on conflict (store_id, product_id) do update set is_sold_out = excluded.is_sold_out;
  end if;
  return null;
end $$;

-- Deleted checkouts still count: retention deletes them, not a change of sales.
create trigger unsummed_insert after insert on orders
  for each row execute function note_unsummed('orders');

create trigger unsummed_delete after delete on orders
  for each row execute function note_unsummed('orders');

create trigger unsummed_update
  after update of status, total, captured_amount, refunded_amount, payment_method, country_code, discount_code on orders
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

create trigger unsummed_update after update of draft_since, order_id on checkouts
  for each row when (
    (old.draft_since is null) <> (new.draft_since is null)
    or (old.order_id is null) <> (new.order_id is null))
  execute function note_unsummed('checkouts');

create trigger unsummed_recovered after update of recovered_at on checkouts
  for each row when (old.recovered_at is null and new.recovered_at is not null)
  execute function note_recovered();

create trigger scarce_insert after insert on products
  for each row when (new.track_inventory and new.product_status = 'active'
    and new.stock_quantity <= new.low_stock_threshold)
  execute function note_scarce();

create trigger scarce_update
  after update of product_status, track_inventory, stock_quantity, low_stock_threshold on products
  for each row when (
    case when old.track_inventory and old.product_status = 'active' and old.stock_quantity <= old.low_stock_threshold
      then old.stock_quantity <= 0 end
    is distinct from
    case when new.track_inventory and new.product_status = 'active' and new.stock_quantity <= new.low_stock_threshold
      then new.stock_quantity <= 0 end)
  execute function note_scarce();

-- Tables in the audit log.
select account_for('shipping_rates');

select account_for('order_bumps');
select account_for('pages');

create table sales_by_period (
  store_id  text not null references stores (id) on delete cascade,
  kind      text not null,                     -- as in sales_by_day
  unit      text not null check (unit in ('month', 'year')),
  begins    date not null,                     -- its first day
  key       text not null,
  label     text,
  orders    int not null,
  pieces    int not null,
  discounts numeric not null,
  refunds   numeric not null,
  sales     numeric not null,
  primary key (store_id, kind, unit, begins, key)
);

-- A tax counts on the day of the sale, its refund on the day of the refund. Orders count that are neither cancelled
-- nor returned, or were paid.
create table tax_by_day (
  store_id         text not null references stores (id) on delete cascade,
  day              date not null,
  country_code     text not null,              -- '' if there is none
  province_code    text not null,              -- ISO 3166-2; '' if there is none
  name             text not null,
  rate             numeric not null,           -- in percent; 0 of a tax that was given as an amount
  reason           text not null,
  orders           int not null,
  taxable          numeric not null,
  tax              numeric not null,
  refunded_taxable numeric not null,
  refunded_tax     numeric not null,
  primary key (store_id, day, country_code, province_code, name, rate, reason)
);

create function note_refund() returns trigger language plpgsql as $$
begin
  insert into unsummed (store_id, kind, quarter)
  select coalesce(new.store_id, old.store_id), 'orders', date_bin('15 minutes', moment, 'epoch')
  from unnest(array[old.succeeded_at, new.succeeded_at]) as moment
  where moment is not null;
  return null;
end $$;

create trigger unsummed_insert after insert on refunds
  for each row when (new.succeeded_at is not null)
  execute function note_refund();

create trigger unsummed_update after update on refunds
  for each row when (old.succeeded_at is distinct from new.succeeded_at)
  execute function note_refund();

create trigger unsummed_delete after delete on refunds
  for each row when (old.succeeded_at is not null)
  execute function note_refund();

-- Taxes are by province, too.
create trigger unsummed_province after update of shipping_address on orders
  for each row when (
    old.shipping_address ->> 'province_code' is distinct from new.shipping_address ->> 'province_code')
  execute function note_unsummed('orders');

-- A new time zone moves the days: they are recomputed.
create function forget_days(owner text, zone text) returns void language plpgsql as $$
begin
  delete from sales_days where store_id = owner;
  delete from sales_by_day where store_id = owner;
  delete from sales_by_period where store_id = owner;
  delete from tax_by_day where store_id = owner;
  insert into unsummed_days (store_id, day)
  select distinct store_id, (quarter at time zone zone)::date
  from sales_sums
  where store_id = owner
  on conflict do nothing;
end $$;

-- Reports by product and tax follow an edit that leaves the total as it is.
create trigger unsummed_edit after update of edited_at on orders
  for each row when (old.edited_at is distinct from new.edited_at)
  execute function note_unsummed('orders');

create trigger unsummed_overpayment after update of refunded_overpayment on orders
  for each row when (old.refunded_overpayment <> new.refunded_overpayment)
  execute function note_unsummed('orders');

-- A requested sign-in. Its link and code are signatures of its ID, so neither is stored: only the link's hash.
create table shopper_sign_ins (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,                  -- also of its email
  email        text not null,
  link_hash    bytea not null,
  browser_hash bytea not null,                 -- the code is accepted in this browser alone
  destination  text check (destination in ('checkout')),
  tries        int not null default 0,         -- of codes
  created_at   timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index shopper_sign_ins_link on shopper_sign_ins (store_id, link_hash);
create index shopper_sign_ins_browser on shopper_sign_ins (store_id, browser_hash);
create index shopper_sign_ins_email on shopper_sign_ins (store_id, lower(email));
create index shopper_sign_ins_created on shopper_sign_ins (created_at);

-- A signed-in browser. It counts only as long as the customer has the email that was proven.
create table shopper_sessions (
  store_id    text not null references stores (id) on delete cascade,
  hash        bytea not null,
  customer_id uuid not null,
  email       text not null,                   -- in lower case
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  primary key (store_id, hash),
  constraint shopper_sessions_customer_key
    foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade
);
create index shopper_sessions_customer on shopper_sessions (store_id, customer_id);
create index shopper_sessions_end on shopper_sessions (expires_at);

create table shopper_passkeys (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,
  customer_id   uuid not null,
  email         text not null,                 -- in lower case, as above
  credential_id bytea not null,
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_synced     boolean not null,
  name          text not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3),
  primary key (store_id, id),
  constraint shopper_passkeys_customer_key
    foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade
);
create unique index shopper_passkeys_credential on shopper_passkeys (store_id, credential_id);
create index shopper_passkeys_customer on shopper_passkeys (store_id, customer_id, created_at);

create table signing_keys (
  id          text primary key,                -- the kid: the thumbprint of the public key (RFC 7638)
  public_key  json not null,                   -- a JSON Web Key
  private_key text not null,                   -- PKCS #8, sealed
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3)                   -- of one that was replaced: published until then
);
create unique index signing_keys_current on signing_keys ((expires_at is null)) where expires_at is null;

create table redirects (
  store_id   text not null references stores (id) on delete cascade,
  id         uuid not null,
  path       text not null check (path like '/_%' and octet_length(path) <= 2000), -- normalized
  target     text not null check (target ~* '^(/|https://)' and target not like '//%'),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index redirects_path on redirects (store_id, path);
create index redirects_created on redirects (store_id, created_at desc, id desc);

select account_for('redirects');

create trigger unsummed_insert after insert on order_edits
  for each row execute function note_unsummed('orders');

create trigger unsummed_delete after delete on order_edits
  for each row execute function note_unsummed('orders');

-- Whether and where an edit counts follows from its order.
create function note_unsummed_edits() returns trigger language plpgsql as $$
begin
  insert into unsummed (store_id, kind, quarter)
  select new.store_id, 'orders', date_bin('15 minutes', created_at, 'epoch')
  from order_edits
  where store_id = new.store_id
    and order_id = new.id;
  return null;
end $$;

create trigger unsummed_edits
  after update of status, captured_amount, payment_method, country_code, shipping_address on orders
  for each row when (
    new.edited_at is not null
    and (old.status, old.captured_amount = 0, old.payment_method, old.country_code,
      old.shipping_address ->> 'province_code')
    is distinct from
    (new.status, new.captured_amount = 0, new.payment_method, new.country_code,
      new.shipping_address ->> 'province_code'))
  execute function note_unsummed_edits();

select follow(source, 'settings') from unnest('{pages,shipping_rates,order_bumps}'::text[]) as source;
select follow_media_uses('order_bumps', 'image');
select follow_media_uses('pages', 'body');

drop function follow_media_uses;
