-- Stores whose rates deliver nothing ship nothing: a rate with the code digital is for such goods alone from now on.
update products
set requires_shipping = false
where exists (
    select from shipping_rates
    where shipping_rates.store_id = products.store_id
      and is_active)
  and not exists (
    select from shipping_rates
    where shipping_rates.store_id = products.store_id
      and is_active
      and (requires_address or pickup_address is not null or code = 'pickup'));
