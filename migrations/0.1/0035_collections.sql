-- Collections: products that a merchant puts together, in an order of their own. A product may be in several.
create table collections (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  name              text not null,
  name_key          text not null,
  slug              text not null,
  description       text,
  image             text,
  is_active         boolean not null default true,
  sort_order        text not null default 'manual'
    check (sort_order in ('manual', 'newest', 'price_up', 'price_down', 'name')),
  position          int not null default 0,
  translations      json,                        -- as of categories
  products_count    int not null default 0 check (products_count >= 0),
  products_for_sale int not null default 0 check (products_for_sale >= 0),   -- those of them that are active
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  primary key (store_id, id),
  constraint collections_name unique (store_id, name_key),
  constraint collections_slug unique (store_id, slug)
);
create index collections_created on collections (store_id, created_at desc, id desc);
create index collections_position on collections (store_id, position, id);

create table collection_products (
  store_id      text not null,
  collection_id uuid not null,
  product_id    uuid not null,
  position      int not null,
  primary key (store_id, collection_id, product_id),
  foreign key (store_id, collection_id) references collections (store_id, id) on delete cascade,
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
-- A page of a collection walks it, and so do those that stand beside a product.
create index collection_products_position on collection_products (store_id, collection_id, position, product_id);
create index collection_products_product on collection_products (store_id, product_id);

-- Slugs that collections have given up, as of products.
create table collection_slugs (
  store_id      text not null,
  slug          text not null,
  collection_id uuid not null,
  since         timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, collection_id) references collections (store_id, id) on delete cascade
);
create index collection_slugs_collection on collection_slugs (store_id, collection_id, since desc);

alter table store_counters add column collections int not null default 0 check (collections >= 0);
