-- The catalog, stock, customers, discounts, tax, orders and fulfillments.

-- Option values as words, so that a search for "silla verde" matches name and color together.
create function option_words(options json) returns text
language sql immutable parallel safe cost 1000 as $$
  select string_agg(word, ' ')
  from json_array_elements(options) as option (said),
    json_array_elements_text(option.said -> 'values') as chosen (word)
$$;

-- Uploaded pictures. Their files are in the storage, by store and name.
create table media (
  store_id     text not null references stores (id),
  id           uuid not null,
  hash         text not null,                  -- first half of the SHA-256 of the upload, hexadecimal
  width        int not null,
  height       int not null,
  colour       text not null,                  -- dominant color, six hexadecimal digits
  bytes        int not null,                   -- size of the upload
  format       text not null,
  alt_text     text,
  status       text not null default 'processing' check (status in
    ('processing', 'ready', 'failed')),
  unused_since timestamptz(3),                 -- when the cleanup first found no reference to it
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  stored_bytes int not null default 0,
  primary key (store_id, id),
  constraint media_hash unique (store_id, hash)
);
create index media_created on media (store_id, created_at desc, id desc);
create index media_processing on media (updated_at) where status = 'processing';

-- Files to delete, unless a picture uses them by then.
create table media_leftovers (
  store_id text not null references stores (id),
  name     text not null,
  due_at   timestamptz(3) not null,
  primary key (store_id, name)
);
create index media_leftovers_due on media_leftovers (due_at);

create table categories (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  name         text not null,
  slug         text not null,
  is_active    boolean not null default true,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  name_key     text not null,
  image        text,
  translations json,
  description  text,
  primary key (store_id, id)
);
create unique index categories_slug on categories (store_id, slug);
create index categories_created on categories (store_id, created_at desc, id desc);
create unique index categories_name on categories (store_id, name_key);

create table category_slugs (
  store_id    text not null,
  slug        text not null,
  category_id uuid not null,
  since       timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, category_id) references categories (store_id, id) on delete cascade
);
create index category_slugs_category on category_slugs (store_id, category_id, since desc);

-- Arrays that are only passed through are json, not jsonb, so that their text stays as it came.
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
  product_status         text not null default 'active' check (product_status in
    ('draft', 'active', 'archived')),
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
  search_text            text not null,        -- lower-case, without accents: name, sku, slug
  created_at             timestamptz(3) not null,
  updated_at             timestamptz(3) not null,
  translations           json,
  brand                  text,
  primary key (store_id, id),
  foreign key (store_id, category_id) references categories (store_id, id) on delete set null (category_id)
);
create unique index products_slug on products (store_id, slug);
-- Covers searches: they read only this index until the ids of the page are known.
create index products_created on products (store_id, product_status, created_at desc, id desc)
  include (search_text, variant_count);
create index products_updated on products (store_id, product_status, updated_at desc, id desc);
create index products_name on products (store_id, product_status, name, id);
create index products_price on products (store_id, product_status, price, id);
create index products_featured on products (store_id, created_at desc, id desc)
  where is_featured and product_status = 'active';
create index products_translated on products using gin (store_words(store_id, translated_texts(translations)))
  with (gin_pending_list_limit = 64) where translations is not null;
create index products_category on products (store_id, category_id, product_status, created_at desc, id desc)
  where category_id is not null;
create index products_words on products using gin (store_words(store_id,
  name || ' ' || coalesce(sku, '') || ' ' || coalesce(option_words(options), '') || ' ' || coalesce(description, '')))
  with (gin_pending_list_limit = 64);

create table product_slugs (
  store_id   text not null,
  slug       text not null,
  product_id uuid not null,
  since      timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index product_slugs_product on product_slugs (store_id, product_id, since desc);

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
  search_text                        text not null,  -- the sku, lower-case, without accents
  created_at                         timestamptz(3) not null,
  updated_at                         timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index variants_words on variants using gin (store_words(store_id, sku))
  with (gin_pending_list_limit = 64) where sku is not null;
-- A product search reads the SKUs of a store's variants once, from this index.
create index variants_of_product on variants (store_id, product_id, position) include (search_text);

-- Products grouped by the merchant, in the merchant's order. A product may be in several collections.
create table collections (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  name              text not null,
  name_key          text not null,
  slug              text not null,
  description       text,
  image             text,
  is_active         boolean not null default true,
  sort_order        text not null default 'manual' check (sort_order in
    ('manual', 'newest', 'price_up', 'price_down', 'name')),
  position          int not null default 0,
  translations      json,                      -- {language: {field: text}}, as in categories
  products_count    int not null default 0 check (products_count >= 0),
  products_for_sale int not null default 0 check (products_for_sale >= 0),  -- the active ones among them
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
-- For pages of a collection, and for related products.
create index collection_products_position on collection_products (store_id, collection_id, position, product_id);
create index collection_products_product on collection_products (store_id, product_id);

-- Former slugs of collections, which redirect.
create table collection_slugs (
  store_id      text not null,
  slug          text not null,
  collection_id uuid not null,
  since         timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, collection_id) references collections (store_id, id) on delete cascade
);
create index collection_slugs_collection on collection_slugs (store_id, collection_id, since desc);

-- stock_quantity is always the sum of these rows.
create table inventory_transactions (
  store_id    text not null,
  id          uuid not null,
  product_id  uuid not null,
  variant_id  uuid,
  quantity    int not null check (quantity <> 0),
  stock_after int not null,                    -- of the variant if there is one, else of the product
  reason      text not null,
  order_id    uuid,
  actor       text,
  created_at  timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index inventory_transactions_product on inventory_transactions (store_id, product_id, created_at desc, id desc);
-- A cancellation restocks what the order took.
create index inventory_transactions_order on inventory_transactions (store_id, order_id) where order_id is not null;

create table customers (
  store_id             text not null references stores (id) on delete cascade,
  id                   uuid not null,
  name                 text not null,
  email                text,
  phone                text,
  phone_key            text,                   -- E.164 if valid, else the digits; phones are matched by it
  notes                text,
  orders_count         int not null default 0 check (orders_count >= 0),
  total_spent          numeric not null default 0,
  last_order_at        timestamptz(3),
  last_order_id        uuid,
  search_text          text not null,          -- lower-case, without accents: name, email, phone as written and in digits
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  tax_id               text,
  tax_exempt           boolean not null default false,
  accepts_marketing    boolean not null default false,
  marketing_changed_at timestamptz(3),
  primary key (store_id, id)
);
-- Not unique: a merchant may keep two customers with one address. Orders match the oldest.
create index customers_email on customers (store_id, lower(email), id) where email is not null;
create index customers_phone on customers (store_id, phone_key, id) where phone_key is not null;
create index customers_created on customers (store_id, created_at desc, id desc);
create index customers_updated on customers (store_id, updated_at desc, id desc);
create index customers_name on customers (store_id, name, id);
create index customers_orders on customers (store_id, orders_count desc, id desc);
create index customers_spent on customers (store_id, total_spent desc, id desc);
create index customers_last_order on customers (store_id, last_order_at desc nulls last, id desc);

create table discounts (
  store_id                text not null references stores (id) on delete cascade,
  id                      uuid not null,
  code                    text not null check (code ~ '^[A-Z0-9_-]{1,50}$'),
  type                    text not null check (type in ('percentage', 'fixed_amount', 'free_shipping')),
  value                   numeric not null check (value >= 0),
  min_order_amount        numeric not null default 0 check (min_order_amount >= 0),
  max_uses                int not null default 0 check (max_uses >= 0),  -- 0: unlimited
  current_uses            int not null default 0 check (current_uses >= 0),
  starts_at               timestamptz(3),
  expires_at              timestamptz(3),
  is_active               boolean not null default true,
  applies_to_all          boolean not null default true,
  applicable_product_ids  uuid[] not null default '{}',
  applicable_category_ids uuid[] not null default '{}',
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  primary key (store_id, id),
  constraint discounts_code unique (store_id, code)
);
create index discounts_created on discounts (store_id, created_at desc, id desc);
create index discounts_updated on discounts (store_id, updated_at desc, id desc);

create table tax_zones (
  store_id       text not null references stores (id) on delete cascade,
  id             uuid not null,
  name           text not null,
  country_code   text not null,
  provinces      text[] not null default '{}',  -- empty: the whole country
  postal_codes   text[] not null default '{}',  -- prefixes; empty: all
  rate           numeric not null check (rate between 0 and 100),
  reason         text not null check (reason in
    ('standard', 'reduced', 'zero', 'exempt', 'reverse_charge', 'export')),
  included       boolean,                      -- null: the store's setting
  shipping       boolean,
  category_rates json not null default '[]',
  position       int not null default 0,
  is_active      boolean not null default true,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  components     json not null default '[]',   -- empty: one tax with the zone's name and rate
  tax_id         text,                         -- null: the store's
  primary key (store_id, id),
  constraint tax_zones_reason check (rate = 0 or reason in ('standard', 'reduced'))
);

create table orders (
  store_id           text not null references stores (id) on delete cascade,
  id                 uuid not null,
  order_number       bigint not null,
  status             text not null check (status in
    ('pending', 'confirmed', 'in_progress', 'completed', 'cancelled', 'returned')),
  payment_status     text not null check (payment_status in
    ('pending', 'paid', 'refunded', 'failed')),
  payment_method     text,
  shipping_method    text,
  currency           text not null,
  customer_id        uuid,
  customer_name      text,
  customer_phone     text,
  customer_email     text,
  subtotal           numeric not null check (subtotal >= 0),
  discount_amount    numeric not null,
  shipping_cost      numeric not null check (shipping_cost >= 0),
  tax_amount         numeric not null check (tax_amount >= 0),
  total              numeric not null,
  discount_id        uuid,                     -- counts as a use; the discount may be deleted since
  discount_code      text,
  free_shipping      boolean not null,
  customer_notes     text,
  internal_notes     text,
  shipping_address   json,
  country_code       text,
  item_count         int not null,
  order_bumps        json,
  custom_fields      json not null default '[]',
  cancel_reason      text check (cancel_reason in
    ('customer', 'declined', 'fraud', 'inventory', 'staff', 'other')),
  cancelled_at       timestamptz(3),
  completed_at       timestamptz(3),
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  search_text        text not null check (length(search_text) <= 200),
  phone_digits       text generated always as (regexp_replace(customer_phone, '\D', '', 'g')) stored,
  city               text generated always as ("left"(lower((shipping_address ->> 'city')), 60)) stored,
  province           text generated always as ("left"(lower((shipping_address ->> 'province')), 60)) stored,
  country            text generated always as ("left"(lower((shipping_address ->> 'country')), 60)) stored,
  captured_amount    numeric not null default 0 check (captured_amount >= 0),
  refunded_amount    numeric not null default 0,
  fulfillment_status text not null default 'unfulfilled' check (fulfillment_status in
    ('unfulfilled', 'partial', 'fulfilled')),
  refunding_amount   numeric not null default 0 check (refunding_amount >= 0),
  refunded_shipping  numeric not null default 0 check (refunded_shipping >= 0),
  tax_id             text,
  tax_id_status      text check (tax_id_status in ('valid', 'invalid', 'unchecked')),
  included_tax       numeric not null default 0 check (included_tax >= 0),
  tax_lines          json not null default '[]',
  locale             text,                     -- null: the language of the store's country
  notify_customer    boolean not null default false,  -- the customer gets emails about it
  shipping_rate      json,
  capturing_amount   numeric not null default 0 check (capturing_amount >= 0),
  primary key (store_id, id),
  constraint orders_number unique (store_id, order_number),
  constraint orders_customer foreign key (store_id, customer_id) references customers (store_id, id) on delete set null (customer_id),
  check (discount_amount between 0 and subtotal),
  constraint orders_check1 check (total = (((subtotal - discount_amount) + shipping_cost) + tax_amount)),
  constraint orders_check2 check (refunded_amount between 0 and captured_amount)
);
create index orders_status on orders (store_id, status, created_at desc, id desc);
create index orders_customer on orders (store_id, customer_id, created_at desc, id desc);
create index orders_city on orders (store_id, city, created_at desc, id desc) where city is not null;
create index orders_updated on orders (store_id, updated_at desc, id desc);
create index orders_total on orders (store_id, total, id);
create index orders_customer_name on orders (store_id, customer_name, id);
-- Finds a shopper's orders by the contact data of the order.
create index orders_email on orders (store_id, lower(customer_email), created_at desc) where customer_email is not null;
create index orders_phone on orders (store_id, right(phone_digits, 8), created_at desc) where phone_digits is not null;
-- Filters without an index of their own are answered from this one, in list order.
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status);
-- Orders with a discount code.
create index orders_discount on orders (store_id, discount_code, created_at desc, id desc)
  where discount_code is not null;

-- No foreign keys to products and variants: items outlive them. Ids follow the order of the lines.
create table order_items (
  store_id           text not null,
  order_id           uuid not null,
  id                 uuid not null,
  product_id         uuid,                     -- null: a custom item
  variant_id         uuid,
  product_name       text not null,
  variant_name       text,
  sku                text,
  quantity           int not null check (quantity > 0),
  unit_price         numeric not null check (unit_price >= 0),
  total_price        numeric not null,
  adjustments        json not null default '[]',
  created_at         timestamptz(3) not null,
  fulfilled_quantity int not null default 0,
  refunded_quantity  int not null default 0,
  returned_quantity  int not null default 0,
  primary key (store_id, order_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  check (total_price = (unit_price * quantity)),
  constraint order_items_refunded check (refunded_quantity between 0 and quantity),
  constraint order_items_fulfilled check (
    returned_quantity between 0 and least(fulfilled_quantity, refunded_quantity)
    and fulfilled_quantity + refunded_quantity - returned_quantity <= quantity)
);

create table fulfillments (
  store_id        text not null,
  id              uuid not null,
  order_id        uuid not null,
  carrier         text,
  tracking_number text,
  tracking_url    text,
  shipped_at      timestamptz(3) not null,
  delivered_at    timestamptz(3),
  cancelled_at    timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index fulfillments_order on fulfillments (store_id, order_id, created_at desc, id desc);

create table fulfillment_items (
  store_id       text not null,
  fulfillment_id uuid not null,
  order_id       uuid not null,
  item_id        uuid not null,
  quantity       int not null check (quantity > 0),
  primary key (store_id, fulfillment_id, item_id),
  foreign key (store_id, fulfillment_id) references fulfillments (store_id, id) on delete cascade,
  foreign key (store_id, order_id, item_id) references order_items (store_id, order_id, id) on delete cascade
);
create index fulfillment_items_item on fulfillment_items (store_id, order_id, item_id);

-- Tables in the audit log.
select account_for('categories', hidden => '{name_key}');
select account_for('products', hidden => '{variant_count}');
select account_for('variants');
select account_for('product_slugs', key => 'slug');
select account_for('category_slugs', key => 'slug');
select account_for('collections', hidden => '{name_key,products_count,products_for_sale}');
select account_for('collection_products', key => 'product_id');
select account_for('collection_slugs', key => 'slug');
select account_for('customers', hidden => '{phone_key}'
  , private => '{name,email,phone,notes,tax_id}', keeps => true);
select account_for('discounts');
select account_for('orders', hidden => '{phone_digits,city,province,country}'
  , private => '{customer_name,customer_phone,customer_email,customer_notes,internal_notes,shipping_address,tax_id,custom_fields}');
select account_for('order_items');
select account_for('fulfillments', private => '{tracking_number,tracking_url}');
select account_for('fulfillment_items', key => 'item_id');
select account_for('tax_zones');
select account_for('media', hidden => '{unused_since}');
