-- Shoppers who wait for sold-out items.

create table backinstock_requests (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  product_id   uuid not null,
  variant_id   uuid,                    -- null for a product without variants
  email        text not null check (length(email) <= 254),
  language     text not null,
  created_at   timestamptz(3) not null,
  confirmed_at timestamptz(3),          -- null: nothing is sent but the link that confirms the address
  expires_at   timestamptz(3) not null, -- deleted then
  primary key (store_id, id)
);
create unique index backinstock_requests_item on backinstock_requests
  (store_id, product_id, variant_id, lower(email)) nulls not distinct;
create index backinstock_requests_email on backinstock_requests (store_id, lower(email));
create index backinstock_requests_created on backinstock_requests (store_id, created_at desc, id desc);
create index backinstock_requests_waiting on backinstock_requests (store_id, product_id, variant_id)
  where confirmed_at is not null;
create index backinstock_requests_expiry on backinstock_requests (expires_at);

-- Without a row, sold-out products offer the email.
create table backinstock_settings (
  store_id  text primary key references stores (id) on delete cascade,
  is_active boolean not null
);
select follow('backinstock_settings', 'settings');
create index backinstock_requests_of_variant on backinstock_requests (store_id, variant_id)
  where variant_id is not null;
