-- Products that are made of others, whose stock they take: [{product_id, variant_id, quantity}], by uuid. Null: no bundle.
alter table products
  add column bundle_items jsonb,
  add column bundle_discount_percentage numeric;  -- null: the bundle has a price of its own

-- The parts of one bundle, as it was sold: [{product_id, variant_id, category_id, product_name, …, quantity, price}].
alter table order_items add column parts jsonb;
