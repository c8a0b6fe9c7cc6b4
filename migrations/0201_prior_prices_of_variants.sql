-- The prices of the 30 days before for variants that have had the price of their product: it counts for as long as they
-- had no price of their own.

create function add_prior_price(own jsonb, inherited jsonb, ended numeric, today date) returns jsonb
language plpgsql immutable parallel safe as $$
begin
  return (
    select jsonb_object_agg(day, price)
    from (
      select day, min(price) as price
      from (
        select day::date as day, price::numeric as price from jsonb_each_text(own) as kept (day, price)
        union all
        select day::date, price::numeric from jsonb_each_text(inherited) as kept (day, price)
        union all
        select today, ended) as prices
      where day >= today - 30
      group by day) as days);
end $$;

-- A change of a product and its variants writes the product first, so these find in the setting what it cost before.
create or replace function keep_prior_prices() returns trigger language plpgsql as $$
begin
  if old.price is distinct from new.price then
    perform set_config('stoa.ended_price', old.id || ' ' || old.price, true);
  end if;
  new.prior_prices := add_prior_price(old.prior_prices, null, old.price, (new.updated_at at time zone 'utc')::date);
  return new;
end $$;

create function keep_variant_prices() returns trigger language plpgsql as $$
declare
  ended numeric := old.price;
  inherited jsonb;
  since date;
begin
  -- A variant without a price of its own had those of its product, since it was created or lost its own.
  if ended is null then
    since := coalesce(
      (select max(day::date) from jsonb_object_keys(old.prior_prices) as days (day)),
      (old.created_at at time zone 'utc')::date);
    select products.price, (
        select jsonb_object_agg(day, price)
        from jsonb_each(products.prior_prices) as days (day, price)
        where day::date >= since)
      into ended, inherited
    from products
    where store_id = new.store_id
      and id = new.product_id;
    if current_setting('stoa.ended_price', true) like new.product_id || ' %' then
      ended := split_part(current_setting('stoa.ended_price', true), ' ', 2)::numeric;
    end if;
  end if;
  new.prior_prices := add_prior_price(old.prior_prices, inherited, ended, (new.updated_at at time zone 'utc')::date);
  return new;
end $$;

drop trigger keep_prior_prices on variants;
create trigger keep_prior_prices before update of price, compare_price on variants
  for each row when (old.price is distinct from new.price
    or old.compare_price is distinct from new.compare_price and new.compare_price > new.price)
  execute function keep_variant_prices();

-- Of a variant whose price was removed: its own prices, then those of its product.
create function lowest_inherited_price(own jsonb, inherited jsonb) returns numeric
language plpgsql immutable parallel safe as $$
declare
  removed date := (select max(day::date) from jsonb_object_keys(own) as days (day));
  changed date := (select max(day::date) from jsonb_object_keys(inherited) as days (day));
begin
  return (
    select min(price::numeric)
    from (
      select day, price from jsonb_each_text(own) as days (day, price)
      where changed is null or day::date >= changed - 30
      union all
      select day, price from jsonb_each_text(inherited) as days (day, price)
      where changed >= removed and day::date >= removed) as prices);
end $$;
