-- The catalog, stock, customers, discounts, tax, orders and fulfillments.

-- Option values as words, so that a search for "silla verde" matches name and color together.
create function option_words(options json) returns text
language sql immutable parallel safe cost 1000 as $$
  select string_agg(word, ' ')
  from json_array_elements(options) as option (said),
    json_array_elements_text(option.said -> 'values') as chosen (word)
$$;

-- Orders are found by each of their discounts. The code of the first stands in a column of its own.
create function discount_codes(discounts json) returns text[]
  language sql immutable parallel safe
  return (select array_agg(discount ->> 'code') from json_array_elements(discounts) as discount);

create function product_words(
  store_id text, name text, sku text, options json, description text, translations json
) returns tsvector language sql immutable parallel safe as $$
  select coalesce(store_words(store_id, concat_ws(' ', name, sku, option_words(options), description)), '')
    || coalesce(store_words(store_id, translated_texts(translations)), '')
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
create index media_unused on media (unused_since) where unused_since is not null;

-- Files to delete, unless a picture uses them by then.
create table media_leftovers (
  store_id text not null references stores (id),
  name     text not null,
  due_at   timestamptz(3) not null,
  primary key (store_id, name)
);
create index media_leftovers_due on media_leftovers (due_at);

create table categories (
  store_id        text not null references stores (id) on delete cascade,
  id              uuid not null,
  name            text not null,
  slug            text not null,
  is_active       boolean not null default true,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  name_key        text not null,
  image           text,
  translations    json,
  description     text,
  seo_title       text,
  seo_description text,
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
  is_tracked             boolean not null default false,
  tags                   text[] not null default '{}',
  barcode                text,
  weight                 int check (weight >= 0),
  seo_title              text,
  seo_description        text,
  country_of_origin      text,
  hs_code                text,
  publish_at             timestamptz(3),
  unpublish_at           timestamptz(3),
  primary key (store_id, id),
  constraint products_store_id_category_id_fkey
    foreign key (store_id, category_id) references categories (store_id, id),
  check (publish_at is null or product_status = 'draft'),
  check (unpublish_at is null or product_status = 'active' or publish_at is not null)
);
create unique index products_slug on products (store_id, slug);
-- Covers searches: they read only this index until the ids of the page are known.
create index products_created on products (store_id, product_status, created_at desc, id desc)
  include (search_text, variant_count);
create index products_price on products (store_id, product_status, price, id);
create index products_featured on products (store_id, created_at desc, id desc)
  where is_featured and product_status = 'active';
create index products_category on products (store_id, category_id, product_status, created_at desc, id desc)
  where category_id is not null;
create index products_trigrams on products using gin (store_id, search_text gin_trgm_ops);
create index products_name on products (store_id, product_status, name, id) include (is_tracked);
create index products_updated on products (store_id, product_status, updated_at desc, id desc)
  include (created_at, price, stock_quantity, low_stock_threshold, track_inventory, is_tracked, is_featured,
    variant_count);
create index products_tags on products using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';
create index products_publish on products (publish_at) where publish_at is not null;
create index products_unpublish on products (unpublish_at) where unpublish_at is not null;
create index products_scheduled on products (store_id, publish_at) where publish_at is not null;
-- Products and variants are found by their exact SKU, as imports do for each row of a file.
create index products_sku on products (store_id, sku) where sku is not null;

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
  search_text                        text not null, -- the sku, lower-case, without accents
  created_at                         timestamptz(3) not null,
  updated_at                         timestamptz(3) not null,
  barcode                            text,
  weight                             int check (weight >= 0),
  country_of_origin                  text,
  hs_code                            text,
  primary key (store_id, id),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
-- A product search reads the SKUs of a store's variants once, from this index.
create index variants_of_product on variants (store_id, product_id, position) include (search_text);
create index variants_trigrams on variants using gin (store_id, search_text gin_trgm_ops) where search_text <> '';
create index variants_sku on variants (store_id, sku) where sku is not null;
create index variants_words on variants using gin (store_words(store_id, sku))
  with (gin_pending_list_limit = 64) where sku is not null;

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
  products_for_sale int not null default 0 check (products_for_sale >= 0), -- the active ones among them
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  seo_title         text,
  seo_description   text,
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
  tags                 text[] not null default '{}',
  addresses            json not null default '[]',
  -- Groups to which the customer was added by hand; a deleted one may stay, so that it comes back with its customers.
  group_ids            uuid[] not null default '{}',
  -- The place of the last order: rules read nothing but the customer's row.
  last_country_code    text,
  last_province_code   text,
  -- True for a customer whose record an order made: anyone can order with another person's email. Their name and phone
  -- are shown to the person behind the email once that person has saved them.
  named_by_order       boolean not null default false,
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
create index customers_trigrams on customers using gin (store_id, search_text gin_trgm_ops);
create index customers_tags on customers using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';
create index customers_groups on customers using gin (store_id, group_ids)
  with (gin_pending_list_limit = 64) where group_ids <> '{}';

create table discounts (
  store_id                text not null references stores (id) on delete cascade,
  id                      uuid not null,
  code                    text not null check (code ~ '^[A-Z0-9_-]{1,50}$'),
  type                    text not null check (type in ('percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y')),
  value                   numeric not null check (value >= 0),
  min_order_amount        numeric not null default 0 check (min_order_amount >= 0),
  max_uses                int not null default 0 check (max_uses >= 0), -- 0: unlimited
  current_uses            int not null default 0 check (current_uses >= 0),
  starts_at               timestamptz(3),
  expires_at              timestamptz(3),
  is_active               boolean not null default true,
  applies_to_all          boolean not null default true,
  applicable_product_ids  uuid[] not null default '{}',
  applicable_category_ids uuid[] not null default '{}',
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null,
  title                   text,
  is_automatic            boolean not null default false,
  once_per_customer       boolean not null default false,
  min_quantity            int not null default 0 check (min_quantity >= 0), -- 0: any
  buy_quantity            int not null default 1 check (buy_quantity > 0),
  buy_product_ids         uuid[] not null default '{}',
  buy_category_ids        uuid[] not null default '{}',
  get_quantity            int not null default 1 check (get_quantity > 0),
  max_per_order           int not null default 0 check (max_per_order >= 0), -- 0: unlimited
  combines_with           text[] not null default '{}'
    check (combines_with <@ '{product,order,shipping}'),
  customer_group_ids      uuid[] not null default '{}',
  primary key (store_id, id),
  constraint discounts_code unique (store_id, code)
);
create index discounts_created on discounts (store_id, created_at desc, id desc);
create index discounts_updated on discounts (store_id, updated_at desc, id desc);
create index discounts_automatic on discounts (store_id, id) where is_automatic;

create table tax_zones (
  store_id       text not null references stores (id) on delete cascade,
  id             uuid not null,
  name           text not null,
  country_code   text not null,
  provinces      text[] not null default '{}', -- empty: the whole country
  postal_codes   text[] not null default '{}', -- prefixes; empty: all
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
  -- How shipping is taxed in a zone. Null: the standard rate where it is taxed.
  shipping_tax   text check (shipping_tax in ('standard', 'proportional', 'none')),
  primary key (store_id, id),
  constraint tax_zones_reason check (rate = 0 or reason in ('standard', 'reduced'))
);

create table orders (
  store_id              text not null references stores (id) on delete cascade,
  id                    uuid not null,
  order_number          bigint not null,
  status                text not null check (status in
    ('pending', 'confirmed', 'in_progress', 'completed', 'cancelled', 'returned')),
  payment_status        text not null check (payment_status in
    ('pending', 'paid', 'refunded', 'failed')),
  payment_method        text,
  shipping_method       text,
  currency              text not null,
  customer_id           uuid,
  customer_name         text,
  customer_phone        text,
  customer_email        text,
  subtotal              numeric not null check (subtotal >= 0),
  discount_amount       numeric not null,
  shipping_cost         numeric not null check (shipping_cost >= 0),
  tax_amount            numeric not null check (tax_amount >= 0),
  total                 numeric not null,
  discount_id           uuid,                  -- counts as a use; the discount may be deleted since
  discount_code         text,
  free_shipping         boolean not null,
  customer_notes        text,
  internal_notes        text,
  shipping_address      json,
  country_code          text,
  item_count            int not null,
  order_bumps           json,
  custom_fields         json not null default '[]',
  cancel_reason         text check (cancel_reason in
    ('customer', 'declined', 'fraud', 'inventory', 'staff', 'other')),
  cancelled_at          timestamptz(3),
  completed_at          timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  search_text           text not null check (length(search_text) <= 200),
  phone_digits          text generated always as (regexp_replace(customer_phone, '\D', '', 'g')) stored,
  city                  text generated always as ("left"(lower((shipping_address ->> 'city')), 60)) stored,
  province              text generated always as ("left"(lower((shipping_address ->> 'province')), 60)) stored,
  country               text generated always as ("left"(lower((shipping_address ->> 'country')), 60)) stored,
  captured_amount       numeric not null default 0 check (captured_amount >= 0),
  refunded_amount       numeric not null default 0,
  fulfillment_status    text not null default 'unfulfilled' check (fulfillment_status in
    ('unfulfilled', 'partial', 'fulfilled')),
  refunding_amount      numeric not null default 0 check (refunding_amount >= 0),
  refunded_shipping     numeric not null default 0 check (refunded_shipping >= 0),
  tax_id                text,
  tax_id_status         text check (tax_id_status in ('valid', 'invalid', 'unchecked')),
  included_tax          numeric not null default 0 check (included_tax >= 0),
  tax_lines             json not null default '[]',
  locale                text,                  -- null: the language of the store's country
  notify_customer       boolean not null default false, -- the customer gets emails about it
  shipping_rate         json,
  capturing_amount      numeric not null default 0 check (capturing_amount >= 0),
  -- What an order was discounted by, as shoppers see it.
  discounts             json not null default '[]',
  tags                  text[] not null default '{}',
  is_archived           boolean not null default false,
  archived_at           timestamptz(3),
  edited_at             timestamptz(3),        -- when items or amounts were last edited
  refunded_overpayment  numeric not null default 0,
  refunding_overpayment numeric not null default 0 check (refunding_overpayment >= 0), -- by pending refunds
  channel               text check (channel in ('shop', 'api', 'dashboard', 'agent')),
  agent                 text check (length(agent) between 1 and 200),
  tax_terms             json,                  -- null: by the taxes of its lines
  discount_rules        json,
  primary key (store_id, id),
  constraint orders_number unique (store_id, order_number),
  check (discount_amount between 0 and subtotal),
  constraint orders_check1 check (total = (((subtotal - discount_amount) + shipping_cost) + tax_amount)),
  constraint orders_check2 check (refunded_amount between 0 and captured_amount),
  constraint orders_archived check (is_archived = (archived_at is not null)),
  constraint orders_customer foreign key (store_id, customer_id) references customers (store_id, id),
  constraint orders_overpayment check (refunded_overpayment between 0 and refunded_amount),
  constraint orders_agent check (agent is null or channel = 'agent')
);
create index orders_customer on orders (store_id, customer_id, created_at desc, id desc);
create index orders_city on orders (store_id, city, created_at desc, id desc) where city is not null;
create index orders_updated on orders (store_id, updated_at desc, id desc);
create index orders_total on orders (store_id, total, id);
create index orders_customer_name on orders (store_id, customer_name, id);
-- Finds a shopper's orders by the contact data of the order.
create index orders_email on orders (store_id, lower(customer_email), created_at desc) where customer_email is not null;
create index orders_phone on orders (store_id, right(phone_digits, 8), created_at desc) where phone_digits is not null;
-- Orders with a discount code.
create index orders_discount on orders (store_id, discount_code, created_at desc, id desc)
  where discount_code is not null;
-- Trigrams of orders and customers, for stores that have many of them.
create index orders_trigrams on orders using gin (store_id, search_text gin_trgm_ops, phone_digits gin_trgm_ops);
create index orders_tags on orders using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';
create index orders_to_fulfill on orders (store_id, created_at desc, id desc) include (is_archived)
  where fulfillment_status in ('unfulfilled', 'partial')
    and status in ('pending', 'confirmed', 'in_progress')
    and payment_status in ('pending', 'paid');
create index orders_to_pay on orders (store_id, created_at desc, id desc) include (is_archived)
  where payment_status in ('pending', 'failed')
    and status in ('pending', 'confirmed', 'in_progress');
create index orders_discounts on orders using gin (store_tags(store_id, discount_codes(discounts)))
  with (gin_pending_list_limit = 64) where json_array_length(discounts) > 1;
create index orders_status on orders (store_id, status, created_at desc, id desc) include (is_archived, payment_status);
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status, customer_name, is_archived, channel, agent);

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
  category_id        uuid,                     -- of the product when it was sold
  settled            json,                     -- the price of units that were refunded before an edit
  primary key (store_id, order_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  check (total_price = (unit_price * quantity)),
  constraint order_items_refunded check (refunded_quantity between 0 and quantity),
  constraint order_items_fulfilled check (
    returned_quantity between 0 and least(fulfilled_quantity, refunded_quantity)
    and fulfilled_quantity + refunded_quantity - returned_quantity <= quantity)
);
-- The orders with a product.
create index order_items_product on order_items (store_id, product_id, order_id) where product_id is not null;
-- The latest orders with a SKU.
create index order_items_sku on order_items (store_id, lower(sku), order_id) where sku is not null;

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

select account_for('products', hidden => '{variant_count,is_tracked}');
select account_for('variants');
select account_for('product_slugs', key => 'slug');
select account_for('category_slugs', key => 'slug');
select account_for('collections', hidden => '{name_key,products_count,products_for_sale}');
select account_for('collection_products', key => 'product_id');
select account_for('collection_slugs', key => 'slug');
select account_for('discounts');
select account_for('orders', hidden => '{phone_digits,city,province,country}'
  , private => '{customer_name,customer_phone,customer_email,customer_notes,internal_notes,shipping_address,tax_id,custom_fields}');
select account_for('order_items');
select account_for('fulfillments', private => '{tracking_number,tracking_url}');
select account_for('fulfillment_items', key => 'item_id');
select account_for('tax_zones');
select account_for('media', hidden => '{unused_since}');

create table media_uses (
  store_id  text not null,
  hash      text not null,
  source    text not null,                     -- table of the record
  record_id uuid not null,                     -- of a store: zero
  primary key (store_id, hash, source, record_id)
);

-- Pictures that were uploaded, or gained or lost a use, since the job last looked.
create table media_changes (
  position bigint generated by default as identity,
  store_id text not null,
  hash     text not null,
  primary key (store_id, hash, position)
);

-- The pictures of the store in a text.
create function media_in(owner text, content text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct found[1]), '{}')
  from regexp_matches(content, '/media/' || owner || '/([0-9a-f]{32})-', 'g') as found
$$;

-- The arguments are the columns that can contain URLs of pictures.
create function note_media_uses() returns trigger language plpgsql as $$
declare
  origin text := regexp_replace(tg_table_name, '_[0-9]{6,}$', '');
  owner  text;
  record uuid;
  before text[] := '{}';
  after  text[] := '{}';
begin
  if tg_op <> 'INSERT' then
    owner := old.store_id;
    record := old.id;
    before := media_in(owner, (select string_agg(to_jsonb(old) ->> name, ' ') from unnest(tg_argv) as name));
  end if;
  if tg_op <> 'DELETE' then
    owner := new.store_id;
    record := new.id;
    after := media_in(owner, (select string_agg(to_jsonb(new) ->> name, ' ') from unnest(tg_argv) as name));
  end if;
  delete from media_uses
  where store_id = owner
    and hash = any(before)
    and hash <> all(after)
    and source = origin
    and record_id = record;
  insert into media_uses (store_id, hash, source, record_id)
  select owner, one, origin, record
  from unnest(after) as one
  where one <> all(before)
  on conflict do nothing;
  insert into media_changes (store_id, hash)
  select owner, one
  from unnest(before || after) as one
  where one <> all(before) or one <> all(after);
  return null;
end $$;

-- Makes the triggers of a table, and enters the uses that it has. Statements about other columns pay nothing.
create function follow_media_uses(source text, variadic columns text[]) returns void language plpgsql as $$
declare
  contents text;
  changes  text;
  owner    text := case source when 'stores' then 'id' else 'store_id' end;
  record   text := case source when 'stores' then '''00000000-0000-0000-0000-000000000000''::uuid' else 'id' end;
begin
  select string_agg(format('coalesce(new.%I::text, '''')', name), ' || ') into contents from unnest(columns) as name;
  select string_agg(format('old.%1$I::text is distinct from new.%1$I::text', name), ' or ') into changes
  from unnest(columns) as name;
  execute format('create trigger media_uses_insert after insert on %I for each row
    when (%s like ''%%/media/%%'') execute function note_media_uses(%s)',
    source, contents, array_to_string(array(select quote_literal(name) from unnest(columns) as name), ', '));
  execute format('create trigger media_uses_update after update of %s on %I for each row
    when (%s) execute function note_media_uses(%s)',
    array_to_string(columns, ', '), source, changes,
    array_to_string(array(select quote_literal(name) from unnest(columns) as name), ', '));
  execute format('create trigger media_uses_delete after delete on %I for each row
    when (%s like ''%%/media/%%'') execute function note_media_uses(%s)',
    source, replace(contents, 'new.', 'old.'),
    array_to_string(array(select quote_literal(name) from unnest(columns) as name), ', '));
  execute format('insert into media_uses (store_id, hash, source, record_id)
    select distinct %1$s, found[1], %2$L, %3$s
    from %2$I as new, regexp_matches(%4$s, ''/media/'' || %1$s || ''/([0-9a-f]{32})-'', ''g'') as found',
    owner, source, record, contents);
end $$;

create table product_words (
  store_id   text not null,
  product_id uuid not null,
  words      tsvector not null,
  primary key (store_id, product_id)
);
create index product_words_words on product_words using gin (words) with (gin_pending_list_limit = 64);

create function keep_product_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into product_words (store_id, product_id, words)
    values (new.store_id, new.id,
      product_words(new.store_id, new.name, new.sku, new.options, new.description, new.translations));
  elsif tg_op = 'UPDATE' then
    update product_words
    set words = product_words(new.store_id, new.name, new.sku, new.options, new.description, new.translations)
    where store_id = new.store_id
      and product_id = new.id;
  else
    delete from product_words
    where store_id = old.store_id
      and product_id = old.id;
  end if;
  return null;
end $$;

create trigger keep_words_of_row after insert or delete on products
for each row execute function keep_product_words();

create trigger keep_words after update of name, sku, options, description, translations on products
for each row when (
  (old.name, old.sku, old.description, old.options::text, old.translations::text)
    is distinct from (new.name, new.sku, new.description, new.options::text, new.translations::text))
execute function keep_product_words();

-- Tells that reads of the table depend on the catalog. Inserts and deletes move its version with the product's row.
create trigger follow_catalog after update on product_words
for each row execute function follow_version('catalog', '');

-- The discounts that an order uses. A canceled or returned order uses none.
create table discount_uses (
  store_id    text not null,
  order_id    uuid not null,
  discount_id uuid not null,                   -- the discount may be deleted since
  primary key (store_id, order_id, discount_id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);

-- Where the pictures of a store's row are used: compared with what is noted, as the row's former values are gone.
create function follow_store_media(owner text) returns void language plpgsql as $$
declare
  before text[];
  after  text[];
begin
  select array_agg(hash) into before from media_uses where store_id = owner and source = 'stores';
  select media_in(owner, concat_ws(' ', logo, favicon, hero_image)) into after from stores where id = owner;
  before := coalesce(before, '{}');
  after := coalesce(after, '{}');
  delete from media_uses
  where store_id = owner
    and source = 'stores'
    and hash = any(before)
    and hash <> all(after);
  insert into media_uses (store_id, hash, source, record_id)
  select owner, one, 'stores', '00000000-0000-0000-0000-000000000000'
  from unnest(after) as one
  where one <> all(before)
  on conflict do nothing;
  insert into media_changes (store_id, hash)
  select owner, one
  from unnest(before || after) as one
  where one <> all(before) or one <> all(after);
end $$;

select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id,tags,addresses}', keeps => true);

create table customer_groups (
  store_id             text not null references stores (id) on delete cascade,
  id                   uuid not null,
  name                 text not null,
  description          text,
  match                text not null default 'all' check (match in ('all', 'any')),
  min_total_spent      numeric check (min_total_spent >= 0),
  max_total_spent      numeric check (max_total_spent >= 0),
  min_orders_count     int check (min_orders_count >= 0),
  max_orders_count     int check (max_orders_count >= 0),
  min_days_since_order int check (min_days_since_order >= 0),
  max_days_since_order int check (max_days_since_order >= 0),
  country_codes        text[] not null default '{}',
  provinces            text[] not null default '{}', -- ISO 3166-2 codes
  customer_tags        text[] not null default '{}',
  accepts_marketing    boolean,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index customer_groups_name on customer_groups (store_id, lower(name));

select account_for('customer_groups');

create table order_comments (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  order_id    uuid not null,
  body        text not null,
  author_kind text not null,
  author_id   text not null,                   -- a public ID, or a name
  mentions    uuid[] not null default '{}',    -- users
  created_at  timestamptz(3) not null,
  edited_at   timestamptz(3),
  updated_at  timestamptz(3) not null,
  primary key (store_id, id),
  constraint order_comments_order_fk
    foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index order_comments_order on order_comments (store_id, order_id, created_at, id);
create index order_comments_mentions on order_comments (store_id, created_at desc, id) where mentions <> '{}';

select account_for('order_comments', private => '{body}', keeps => true);

-- What a member is notified about and has read. What happened is read from orders, disputes, comments and stock.
create table notification_settings (
  store_id     text not null,
  user_id      uuid not null,
  kinds        text[],                         -- null: all
  read_until   timestamptz(3),                 -- all before is read
  read_ids     text[] not null default '{}',   -- and these after it
  -- Members choose what they are emailed about: mentions at once, the rest in summaries.
  mailed_kinds text[],                         -- null: mentions
  mailed_until timestamptz(3),                 -- the last summary, or when summaries were chosen
  mail_due_at  timestamptz(3),                 -- null: no summaries
  primary key (store_id, user_id),
  foreign key (store_id, user_id) references members (store_id, user_id) on delete cascade
);
create index notification_settings_due on notification_settings (mail_due_at) where mail_due_at is not null;

create table draft_orders (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  order_id         uuid,                       -- the order that it became
  checkout_id      uuid,                       -- what its link pays; null: it has no link
  customer_id      uuid,
  customer_name    text,
  customer_phone   text,
  customer_email   text,
  tax_id           text,
  shipping_address json,
  country_code     text,
  shipping_method  text,
  shipping_price   numeric,                    -- by hand; null: that of the method
  payment_method   text,
  discount_code    text,
  discount_type    text check (discount_type in ('percentage', 'fixed_amount')),
  discount_value   numeric,
  locale           text,
  customer_notes   text,
  internal_notes   text,
  tags             text[] not null default '{}',
  items            json not null,              -- as last priced, with names and prices
  item_count       int not null,
  currency         text not null,
  subtotal         numeric not null,
  discount_amount  numeric not null,
  shipping_cost    numeric not null,
  tax_amount       numeric not null,
  included_tax     numeric not null,
  total            numeric not null,
  link_sent_at     timestamptz(3),             -- when it was last emailed
  link_expires_at  timestamptz(3),
  search_text      text not null,
  blocked_at       timestamptz(3),             -- when a customer could not pay it
  completed_at     timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (store_id, id),
  check (total = (((subtotal - discount_amount) + shipping_cost) + tax_amount)),
  check ((discount_type is null) = (discount_value is null)),
  check ((checkout_id is null) = (link_expires_at is null))
);
create index draft_orders_newest on draft_orders (store_id, created_at desc, id desc);
create index draft_orders_customer on draft_orders (store_id, customer_id) where customer_id is not null;
create index draft_orders_email on draft_orders (store_id, lower(customer_email)) where customer_email is not null;

select account_for('draft_orders', private =>
  '{customer_name,customer_phone,customer_email,tax_id,shipping_address,customer_notes,internal_notes}');

create table returns (
  store_id          text not null,
  id                uuid not null,
  order_id          uuid not null,
  order_number      bigint not null,
  number            int not null,              -- among the returns of the order, from 1
  status            text not null check (status in
    ('requested', 'approved', 'received', 'closed', 'declined', 'cancelled')),
  requested_by      text not null check (requested_by in ('customer', 'staff')),
  instructions      text,
  decline_reason    text,
  restocking_fee    numeric not null default 0 check (restocking_fee >= 0),
  refund_id         uuid,
  exchange_order_id uuid,
  approved_at       timestamptz(3),
  declined_at       timestamptz(3),
  received_at       timestamptz(3),
  closed_at         timestamptz(3),
  cancelled_at      timestamptz(3),
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  primary key (store_id, id),
  constraint returns_number unique (store_id, order_id, number),
  check ((refund_id is null and exchange_order_id is null) or status = 'closed'),
  constraint returns_of_order foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index returns_newest on returns (store_id, created_at desc, id desc);
create index returns_order on returns (store_id, order_id, created_at desc, id desc);
-- Those that wait for the merchant: few of many.
create index returns_requested on returns (store_id, created_at desc, id desc) where status = 'requested';

create table return_items (
  store_id          text not null,
  return_id         uuid not null,
  order_id          uuid not null,
  item_id           uuid not null,
  quantity          int not null check (quantity > 0),
  reason            text not null,
  note              text,
  received_quantity int not null default 0,
  damaged_quantity  int not null default 0,
  primary key (store_id, return_id, item_id),
  check (received_quantity between 0 and quantity),
  check (damaged_quantity between 0 and received_quantity),
  constraint return_items_return foreign key (store_id, return_id) references returns (store_id, id)
    on delete cascade,
  constraint return_items_of_order foreign key (store_id, order_id, item_id)
    references order_items (store_id, order_id, id) on delete cascade
);
create index return_items_item on return_items (store_id, order_id, item_id);

select account_for('returns', private => '{instructions,decline_reason}');
select account_for('return_items', key => 'item_id', private => '{note}');

create table order_edits (
  store_id        text not null,
  order_id        uuid not null,
  id              uuid not null,
  sold_at         timestamptz(3) not null,     -- when the order was placed
  item_count      int not null,                -- differences to the order before, as all amounts are
  subtotal        numeric not null,
  discount_amount numeric not null,
  shipping_cost   numeric not null,
  tax_amount      numeric not null,
  included_tax    numeric not null,
  total           numeric not null,
  products        json not null,               -- by product: key, label, orders, pieces, discount, refunds, cost
  discounts       json not null,               -- by code: key, orders, pieces, amount, refunds, total
  taxes           json not null,               -- by tax: country_code, name, rate, reason, orders, base, amount
  created_at      timestamptz(3) not null,
  primary key (store_id, order_id, id),
  constraint order_edits_order foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);
create index order_edits_created on order_edits (store_id, created_at);
create index order_edits_sold on order_edits (store_id, sold_at);

select follow('tax_zones', 'settings');

select follow(source, 'catalog')
from unnest('{categories,category_slugs,products,product_slugs,variants,collections,collection_products,
  collection_slugs,media}'::text[]) as source;

select follow('discounts', 'discounts', moments => 'starts_at,expires_at');
select follow('customers', 'customers');

select follow(source, 'orders')
from unnest('{orders,order_items,fulfillments,fulfillment_items,returns,return_items}'::text[]) as source;

select follow_media_uses('products', 'main_image', 'gallery');
select follow_media_uses('variants', 'image');
select follow_media_uses('categories', 'image');
select follow_media_uses('collections', 'image');
