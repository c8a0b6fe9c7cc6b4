-- Imports: a file, its rows, and what became of each. A row is written in the transaction of the record that it makes.

create table imports (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,
  kind          text not null check (kind in ('products', 'customers', 'orders', 'discounts')),
  source        text not null,
  file_name     text,
  on_duplicate  text not null check (on_duplicate in ('skip', 'update', 'reject')),
  columns       json not null,
  mapping       json not null,                 -- what the caller said of columns
  is_decimal_comma boolean not null,
  status        text not null check (status in (
    'reading', 'previewing', 'ready', 'running', 'stopped', 'completed', 'undoing', 'undone', 'failed')),
  error         text,
  rows_read     int not null default 0,
  rows_to_create int not null default 0,
  rows_to_update int not null default 0,
  rows_created  int not null default 0,
  rows_updated  int not null default 0,
  rows_skipped  int not null default 0,
  rows_rejected int not null default 0,
  rows_undone   int not null default 0,
  images_pending int not null default 0,
  images_fetched int not null default 0,
  images_failed int not null default 0,
  actor         json not null,
  due_at        timestamptz(3),
  started_at    timestamptz(3),
  finished_at   timestamptz(3),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  primary key (store_id, id)
);

create index imports_newest on imports (store_id, created_at desc, id desc);
create index imports_due on imports (due_at) where due_at is not null;
create index imports_age on imports (created_at);

create table import_rows (
  store_id  text not null,
  import_id uuid not null,
  number    int not null,                      -- from 1
  id        int generated always as (number) stored,
  line      int not null,                      -- of the file
  record    int not null,                      -- the number of the record's first row
  cells     json not null,
  outcome   text check (outcome in ('to_create', 'to_update', 'created', 'updated', 'skipped', 'rejected', 'undone')),
  record_id text,
  batch     int,                               -- the first record of the transaction that wrote it
  messages  json not null default '[]',
  primary key (store_id, import_id, number),
  foreign key (store_id, import_id) references imports (store_id, id) on delete cascade
);

create index import_rows_record on import_rows (store_id, import_id, record);
create index import_rows_outcome on import_rows (store_id, import_id, outcome, number);
create index import_rows_batch on import_rows (store_id, import_id, batch) where batch is not null;

create table import_images (
  store_id   text not null,
  import_id  uuid not null,
  product_id uuid not null,
  id         text generated always as (url) stored,
  url        text not null,
  status     text not null check (status in ('pending', 'fetched', 'failed')),
  error      text,
  primary key (store_id, import_id, product_id, url),
  foreign key (store_id, import_id) references imports (store_id, id) on delete cascade
);

create index import_images_status on import_images (store_id, import_id, status, product_id);
