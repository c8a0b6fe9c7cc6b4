-- Slugs that stores have given up: until then they lead to the store's new one, and no other store may have them.
create table store_slugs (
  store_id text not null references stores (id) on delete cascade,
  slug     text not null,
  until    timestamptz(3) not null,
  primary key (store_id, slug)
);
create unique index store_slugs_slug on store_slugs (slug);
create index store_slugs_until on store_slugs (until);
