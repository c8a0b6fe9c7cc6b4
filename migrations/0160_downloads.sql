-- Files and license keys that are sold with products.

create table downloads_files (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,                  -- names the file in the storage
  product_id   uuid not null,                  -- the product may be deleted since; its buyers keep the file
  variant_id   uuid,                           -- null: every variant
  name         text not null check (length(name) between 1 and 200),
  content_type text not null,
  bytes        int not null check (bytes > 0),
  created_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create index downloads_files_product on downloads_files (store_id, product_id, variant_id);
create index downloads_files_created on downloads_files (store_id, created_at desc, id desc);
select account_for('downloads_files');

-- What an item of a paid order gives its buyer: one file, or license keys.
create table downloads_grants (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,
  order_id      uuid not null,
  item_id       uuid not null,
  product_id    uuid not null,                 -- a part of the item, if that is a bundle
  variant_id    uuid,
  file_id       uuid,                          -- null: license keys, one for each unit
  units         int not null check (units > 0),
  downloads     int not null default 0,
  max_downloads int check (max_downloads > 0), -- null: no limit
  expires_at    timestamptz(3),                -- null: never
  revoked_at    timestamptz(3),                -- by staff
  missing_keys  int not null default 0 check (missing_keys >= 0),
  due_at        timestamptz(3),                -- its email, and keys that are handed out, are due
  last_at       timestamptz(3),                -- of the last download
  created_at    timestamptz(3) not null,
  primary key (store_id, id),
  constraint downloads_grants_downloads check (downloads between 0 and coalesce(max_downloads, downloads))
);
create unique index downloads_grants_once on downloads_grants
  (store_id, order_id, item_id, product_id, variant_id, file_id) nulls not distinct;
create index downloads_grants_file on downloads_grants (store_id, file_id) where file_id is not null;
create index downloads_grants_created on downloads_grants (store_id, created_at desc, id desc);
create index downloads_grants_missing on downloads_grants (store_id, product_id, created_at, id)
  where missing_keys > 0;
create index downloads_grants_due on downloads_grants (due_at) where due_at is not null;
select account_for('downloads_grants', hidden => '{due_at}');

create table downloads_keys (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,                 -- in the order in which they are handed out
  product_id    uuid not null,
  variant_id    uuid,                          -- null: every variant
  key           text not null check (length(key) between 1 and 200),
  grant_id      uuid,                          -- null: not handed out
  handed_out_at timestamptz(3),
  created_at    timestamptz(3) not null,
  primary key (store_id, id),
  check ((grant_id is null) = (handed_out_at is null))
);
create unique index downloads_keys_once on downloads_keys (store_id, product_id, variant_id, key) nulls not distinct;
create index downloads_keys_free on downloads_keys (store_id, product_id, id) where grant_id is null;
create index downloads_keys_grant on downloads_keys (store_id, grant_id, id) where grant_id is not null;
create index downloads_keys_created on downloads_keys (store_id, created_at desc, id desc);
select account_for('downloads_keys', private => '{key}');

-- Without a row: 5 downloads in 30 days.
create table downloads_settings (
  store_id      text primary key references stores (id) on delete cascade,
  max_downloads int check (max_downloads between 1 and 1000),  -- null: no limit
  days          int check (days between 1 and 3650)            -- null: forever
);
select follow('downloads_settings', 'settings');

-- Files to remove from the storage, unless their row was written by then.
create table downloads_leftovers (
  store_id text not null references stores (id) on delete cascade,
  id       uuid not null,
  due_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create index downloads_leftovers_due on downloads_leftovers (due_at);
