-- Prices by a table, conditions and delivery times of shipping rates.
alter table shipping_rates
  add column price_by text not null default 'flat'
    check (price_by in ('flat', 'weight', 'amount', 'items', 'per_item')),
  add column tiers json not null default '[]',
  add column min_weight int check (min_weight >= 0),                -- grams
  add column max_weight int,
  add column min_amount numeric check (min_amount >= 0),
  add column max_amount numeric,
  add column provinces text[] not null default '{}',
  add column postal_codes text[] not null default '{}',
  add column excluded_categories text[] not null default '{}',      -- public IDs
  add column surcharges json not null default '[]',
  add column handling_days int check (handling_days >= 0),
  add column min_days int check (min_days >= 0),
  add column max_days int,
  add column pickup_hours text,
  add constraint shipping_rates_weights check (max_weight >= coalesce(min_weight, 0)),
  add constraint shipping_rates_amounts check (max_amount >= coalesce(min_amount, 0)),
  add constraint shipping_rates_days check (max_days >= coalesce(min_days, 0));
