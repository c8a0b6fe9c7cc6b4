-- Prices as shoppers in the EU may expect them: the price per unit, and the lowest price of the 30 days before a reduction.

-- The content of one piece: an amount and its unit, e.g. 750 ml.
alter table products add column unit_pricing_measure text;
alter table variants add column unit_pricing_measure text;

-- The prices of the 30 days before the last change: for each day (UTC) the lowest that ended on it, e.g.
-- {"2026-11-28": 49.90}. Null until the first change.
alter table products add column prior_prices jsonb;
alter table variants add column prior_prices jsonb;

alter table stores add column lowest_price_display text not null default 'by_country'
  check (lowest_price_display in ('by_country', 'always', 'never'));

-- In functions, which cost nothing where their column is null: an expression is prepared for each query anew.
create function lowest_price(prices jsonb) returns numeric
language plpgsql immutable strict parallel safe as $$
begin
  return (select min(price::numeric) from jsonb_each_text(prices) as days (day, price));
end $$;

-- The units of src/commerce/catalog/unitprices.ts: their size, and that of the unit that prices are compared by.
create function measured_unit(measure text, out amount numeric, out size int, out base text, out per_base int)
language plpgsql immutable strict parallel safe as $$
begin
  select units.size, units.base, units.per_base into size, base, per_base
  from (values
    ('kg', 1000000, 'kg', 1000000), ('g', 1000, 'kg', 1000000), ('mg', 1, 'kg', 1000000),
    ('lb', 16, 'lb', 16), ('oz', 1, 'lb', 16),
    ('l', 1000, 'l', 1000), ('cl', 10, 'l', 1000), ('ml', 1, 'l', 1000),
    ('floz', 1, 'floz', 1), ('pt', 16, 'floz', 1), ('qt', 32, 'floz', 1), ('gal', 128, 'floz', 1),
    ('cbm', 1, 'cbm', 1), ('m', 100, 'm', 100), ('cm', 1, 'm', 100),
    ('ft', 12, 'ft', 12), ('in', 1, 'ft', 12), ('yd', 36, 'ft', 12),
    ('sqm', 1, 'sqm', 1), ('sqft', 1, 'sqft', 1), ('ct', 1, 'ct', 1)) as units (unit, size, base, per_base)
  where unit = substring(measure from '[a-z]+$');
  amount := substring(measure from '^[0-9.]+');
end $$;

create function unit_price(price numeric, measure text) returns numeric
language plpgsql immutable strict parallel safe as $$
begin
  return (select round(price * per_base / (amount * size), 2) from measured_unit(measure));
end $$;

create function base_measure(measure text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  return (select '1 ' || base from measured_unit(measure));
end $$;

create function keep_prior_prices() returns trigger language plpgsql as $$
declare
  today date := (new.updated_at at time zone 'utc')::date;
  ended numeric := old.price;
begin
  -- A variant without a price of its own had that of its product.
  if ended is null then
    select price into ended from products where store_id = new.store_id and id = new.product_id;
  end if;
  new.prior_prices := (
    select jsonb_object_agg(day, price)
    from (
      select day, min(price) as price
      from (
        select day::date as day, price::numeric as price from jsonb_each_text(old.prior_prices) as kept (day, price)
        union all
        select today, ended) as prices
      where day >= today - 30
      group by day) as days);
  return new;
end $$;

-- A reduction is a lower price, or a higher one beside it.
create trigger keep_prior_prices before update of price, compare_price on products
  for each row when (old.price is distinct from new.price
    or old.compare_price is distinct from new.compare_price and new.compare_price > new.price)
  execute function keep_prior_prices();
create trigger keep_prior_prices before update of price, compare_price on variants
  for each row when (old.price is distinct from new.price
    or old.compare_price is distinct from new.compare_price and new.compare_price > new.price)
  execute function keep_prior_prices();

-- The audit log has the prices themselves.
drop function account_products() cascade;
select account_for('products', hidden => '{variant_count,is_tracked,prior_prices}');
drop function account_variants() cascade;
select account_for('variants', hidden => '{prior_prices}');
