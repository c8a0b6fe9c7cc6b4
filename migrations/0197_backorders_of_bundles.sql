-- What the parts of a bundle take from stock: the IDs of their variants, and of products without any.
create function part_items(parts jsonb) returns text[]
  language sql immutable parallel safe
  return (select array_agg(coalesce(part ->> 'variant_id', part ->> 'product_id')) from jsonb_array_elements(parts) as part);
