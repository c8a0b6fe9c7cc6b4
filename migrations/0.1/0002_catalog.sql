-- Categories, products, variants, and every movement of their stock.

create table categories (
  store_id   text not null references stores (id) on delete cascade,
  id         uuid not null,
  name       text not null,
  slug       text not null,
  is_active  boolean not null default true,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index categories_name on categories (store_id, lower(name));
create unique index categories_slug on categories (store_id, slug);
create index categories_created on categories (store_id, created_at desc, id desc);

-- Arrays that are only passed on are json, not jsonb: their text goes out as it came in.
create table products (
  store_id               text not null references stores (id) on delete cascade,
  id                     uuid not null,
  name                   text not null,
  slug                   text not null,
  description            text,
  price                  numeric not null check (price > 0),
  compare_price          numeric check (compare_price >= 0),
  main_image             text,
  gallery                json not null default '[]',
  product_status         text not null default 'active' check (product_status in ('draft', 'active', 'archived')),
  archived_at            timestamptz(3),
  is_featured            boolean not null default false,
  sku                    text,
  track_inventory        boolean not null default false,
  stock_quantity         int not null default 0,
  low_stock_threshold    int not null default 5,
  continue_selling       boolean not null default false,
  supplier_cost          numeric check (supplier_cost >= 0),
  wholesale_price        numeric check (wholesale_price >= 0),
  wholesale_min_quantity int,
  condition              text not null default 'new' check (condition in ('new', 'used', 'refurbished')),
  invoice_available      boolean not null default false,
  fast_shipping          boolean not null default false,
  warranty_months        int,
  category_id            uuid,
  options                json not null default '[]',
  variant_count          int not null default 0,
  search_text            text not null,   -- lower-case, without accents: name, sku, slug
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, category_id) references categories (store_id, id) on delete set null (category_id)
);
create unique index products_slug on products (store_id, slug);
-- Covers searches too: they read this index alone, within the store, until they know the page's ids.
create index products_created on products (store_id, product_status, created_at desc, id desc)
  include (search_text, variant_count);
create index products_updated on products (store_id, product_status, updated_at desc, id desc);
create index products_name on products (store_id, product_status, name, id);
create index products_price on products (store_id, product_status, price, id);
create index products_category on products (store_id, category_id) where category_id is not null;

create table variants (
  store_id                           text not null,
  id                                 uuid not null,
  product_id                         uuid not null,
  title                              text not null,
  sku                                text,
  price                              numeric check (price > 0),
  compare_price                      numeric check (compare_price >= 0),
  stock_quantity                     int not null default 0,
  manage_inventory                   boolean not null default false,
  low_stock_threshold                int not null default 5,
  continue_selling_when_out_of_stock boolean not null default false,
  image                              text,
  position                           int not null,
  option_values                      json not null,
  search_text                        text not null,   -- the sku, lower-case, without accents
  created_at                         timestamptz(3) not null,
  updated_at                         timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index variants_product on variants (store_id, product_id, position);

-- stock_quantity is always the sum of these rows.
create table inventory_transactions (
  store_id    text not null,
  id          uuid not null,
  product_id  uuid not null,
  variant_id  uuid,
  quantity    int not null check (quantity <> 0),
  stock_after int not null,   -- of the variant when there is one, else of the product
  reason      text not null,
  order_id    uuid,
  actor       text,
  created_at  timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index inventory_transactions_product on inventory_transactions (store_id, product_id, created_at desc, id desc);
