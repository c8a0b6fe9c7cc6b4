-- Pictures that merchants have uploaded. Their files are in the storage, below the store and the name.
create table media (
  store_id     text not null references stores (id),
  id           uuid not null,
  hash         text not null,                -- SHA-256 of what was uploaded, the first half, in hex
  width        int not null,
  height       int not null,
  colour       text not null,                -- the dominant one: six hexadecimal digits
  bytes        int not null,                 -- of what was uploaded
  format       text not null,
  alt_text     text,
  status       text not null default 'processing' check (status in ('processing', 'ready', 'failed')),
  unused_since timestamptz(3),               -- since when nothing has been seen to refer to it
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  primary key (store_id, id),
  constraint media_hash unique (store_id, hash)
);
create index media_created on media (store_id, created_at desc, id desc);
create index media_processing on media (updated_at) where status = 'processing';

-- Files that are to be removed, unless they are of a picture by then.
create table media_leftovers (
  store_id   text not null references stores (id),
  name       text not null,
  due_at     timestamptz(3) not null,
  primary key (store_id, name)
);
create index media_leftovers_due on media_leftovers (due_at);

-- Where the shop shows a category, it shows its picture.
alter table categories add column image text;
