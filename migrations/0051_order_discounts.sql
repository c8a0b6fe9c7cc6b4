-- Orders are found by each of their discounts. The code of the first stands in a column of its own.
create function discount_codes(discounts json) returns text[]
  language sql immutable parallel safe
  return (select array_agg(discount ->> 'code') from json_array_elements(discounts) as discount);

create index orders_discounts on orders using gin (store_tags(store_id, discount_codes(discounts)))
  with (gin_pending_list_limit = 64) where json_array_length(discounts) > 1;
