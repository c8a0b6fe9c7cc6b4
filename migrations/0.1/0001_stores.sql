-- Plans, stores, people and keys. What belongs to no store (plans, users) is a reference table.

create table plans (
  id       text primary key,
  name     text not null,
  limits   jsonb not null,   -- noun → maximum; a missing noun is unlimited
  features text[] not null
);

insert into plans (id, name, limits, features) values
  ('free',      'Free',      '{"products": 50,   "categories": 10,  "discounts": 3,   "webhooks": 2,  "api_keys": 2,  "staff": 1}',  '{}'),
  ('starter',   'Starter',   '{"products": 500,  "categories": 50,  "discounts": 25,  "webhooks": 5,  "api_keys": 5,  "staff": 3}',  '{inventory,custom_domain,order_bumps}'),
  ('growth',    'Growth',    '{"products": 5000, "categories": 500, "discounts": 250, "webhooks": 20, "api_keys": 20, "staff": 10}', '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}'),
  ('unlimited', 'Unlimited', '{"webhooks": 50, "api_keys": 50}',                                                                   '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}');

create table stores (
  id               text primary key check (id ~ '^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$'),
  name             text not null,
  slug             text not null,
  description      text,
  currency         text not null check (currency ~ '^[A-Z]{3}$'),
  country_code     text not null check (country_code ~ '^[A-Z]{2}$'),
  status           text not null default 'active' check (status in ('active', 'paused', 'suspended', 'closed')),
  store_title      text,
  custom_domain    text,
  domain_verified  boolean not null default false,
  timezone         text not null,
  maintenance_mode boolean not null default false,
  plan_id          text not null references plans (id),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  constraint stores_slug unique (slug)
);
-- Anybody may name a domain; it belongs to the store that has proven it.
create unique index stores_custom_domain on stores (custom_domain) where domain_verified;

-- Ends a statement, and its transaction, as the violation of a constraint of this name would.
create function refuse(condition text) returns int language plpgsql as $$
begin
  raise exception using errcode = 'check_violation', constraint = condition, message = 'refused: ' || condition;
end $$;

-- One row a store: what its plan limits and what its lists count, moved by the statements that change the rows.
create table store_counters (
  store_id          text primary key references stores (id) on delete cascade,
  products_active   int not null default 0 check (products_active >= 0),
  products_draft    int not null default 0 check (products_draft >= 0),
  products_archived int not null default 0 check (products_archived >= 0),
  categories        int not null default 0 check (categories >= 0),
  discounts         int not null default 0 check (discounts >= 0),
  customers         int not null default 0 check (customers >= 0),
  orders            int not null default 0 check (orders >= 0),
  webhooks          int not null default 0 check (webhooks >= 0),
  api_keys          int not null default 0 check (api_keys >= 0),
  staff             int not null default 0 check (staff >= 0),
  order_number      bigint not null default 1000
) with (fillfactor = 50);

create table api_keys (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  name         text not null,
  mode         text not null check (mode in ('live', 'test')),
  hash         bytea not null,
  last4        text not null,
  scopes       text[] not null,
  expires_at   timestamptz(3),
  is_active    boolean not null default true,
  last_used_at timestamptz(3),
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index api_keys_hash on api_keys (hash);

create table users (
  id            uuid primary key,
  email         text not null,
  name          text,
  password_hash text,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null
);
create unique index users_email on users (lower(email));

create table members (
  store_id   text not null references stores (id) on delete cascade,
  user_id    uuid not null references users (id) on delete cascade,
  role       text not null check (role in ('owner', 'admin', 'staff')),
  created_at timestamptz(3) not null,
  primary key (store_id, user_id)
);
create index members_user on members (user_id);

-- Answers to repeated requests with the same Idempotency-Key, written in the transaction of the effect.
create table idempotency_keys (
  store_id    text not null references stores (id) on delete cascade,
  credential  text not null,
  key         text not null,
  fingerprint bytea not null,
  status      int not null,
  location    text,
  body        text not null,
  created_at  timestamptz(3) not null,
  primary key (store_id, credential, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
