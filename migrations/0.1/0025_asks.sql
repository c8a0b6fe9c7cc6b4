-- What a store's checkout asks for, where the merchant has chosen otherwise than usual: field → hidden, optional, required.
alter table stores add column checkout_fields jsonb not null default '{}';

-- An address has a second line and a company. A stored one has all of its fields.
update orders
set shipping_address = (regexp_replace(shipping_address::text, '\}\s*$', ',"address_2":null,"company":null}'))::json
where shipping_address is not null
  and not shipping_address::jsonb ? 'address_2';

-- A rate says how it can be paid (none: every way), where its goods are fetched, and whether a code for free shipping
-- makes it free.
alter table shipping_rates
  add column payment_methods text[] not null default '{}',
  add column pickup_address  text,
  add column free_by_code    boolean not null default true;
update shipping_rates set free_by_code = false where code = 'express';
