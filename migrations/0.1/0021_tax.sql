-- What is taxed where, who is not taxed, and what an order keeps of it.

alter table stores
  add column tax_id           text,                        -- its own, for invoices
  add column tax_rounding     text not null default 'order' check (tax_rounding in ('line', 'order')),
  add column tax_fixed_prices boolean not null default true;

create table tax_zones (
  store_id       text not null references stores (id) on delete cascade,
  id             uuid not null,
  name           text not null,
  country_code   text not null,
  provinces      text[] not null default '{}',             -- as they are written in addresses; none: the whole country
  postal_codes   text[] not null default '{}',             -- what they begin with; none: all
  rate           numeric not null check (rate between 0 and 100),
  reason         text not null
    check (reason in ('standard', 'reduced', 'zero', 'exempt', 'reverse_charge', 'export')),
  included       boolean,                                  -- null: as the store has it
  shipping       boolean,
  category_rates json not null default '[]',
  position       int not null default 0,
  is_active      boolean not null default true,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (store_id, id),
  constraint tax_zones_reason check (rate = 0 or reason in ('standard', 'reduced'))
);

alter table customers
  add column tax_id     text,
  add column tax_exempt boolean not null default false;

alter table checkouts add column tax_id text;

alter table orders
  add column tax_id        text,
  add column tax_id_status text check (tax_id_status in ('valid', 'invalid', 'unchecked')),
  add column included_tax  numeric not null default 0 check (included_tax >= 0),
  add column tax_lines     json not null default '[]';
