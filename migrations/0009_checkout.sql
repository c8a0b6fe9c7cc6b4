-- What a store's checkout offers, and the checkouts themselves.

alter table stores
  add column tax_rate                       numeric not null default 0 check (tax_rate between 0 and 100),   -- percent
  add column tax_included                   boolean not null default false,   -- prices contain it
  add column tax_shipping                   boolean not null default false,   -- shipping is taxed too
  add column checkout_abandon_after_minutes int check (checkout_abandon_after_minutes between 10 and 1440),
  add column recovery_email_enabled         boolean not null default true;

create table shipping_rates (
  store_id         text not null references stores (id) on delete cascade,
  id               uuid not null,
  code             text not null,
  name             text,
  description      text,
  price            numeric not null check (price >= 0),
  free_from        numeric check (free_from >= 0),
  country_codes    text[] not null default '{}',   -- where it ships to; none: everywhere
  requires_address boolean not null,
  position         int not null default 0,
  is_active        boolean not null default true,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (store_id, id),
  constraint shipping_rates_code unique (store_id, code),
  constraint shipping_rates_name check (name is not null or code in ('standard', 'express', 'local_delivery', 'pickup', 'digital'))
);

create table payment_methods (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  code         text not null,
  provider     text not null,
  name         text,
  instructions text,
  position     int not null default 0,
  is_active    boolean not null default true,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  primary key (store_id, id),
  constraint payment_methods_code unique (store_id, code),
  constraint payment_methods_name check (name is not null or code in ('cod', 'bank_transfer', 'cash', 'card', 'wallet', 'other'))
);

-- Offers shown at the checkout: a product of the store, perhaps at another price, or something that is no product.
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
  constraint order_bumps_price check (price is not null or product_id is not null),
  constraint order_bumps_product foreign key (store_id, product_id) references products (store_id, id) on delete cascade,
  constraint order_bumps_variant foreign key (store_id, variant_id) references variants (store_id, id) on delete cascade
);
create index order_bumps_of_product on order_bumps (store_id, product_id) where product_id is not null;
create index order_bumps_of_variant on order_bumps (store_id, variant_id) where variant_id is not null;
