-- What an order was sold with, which an edit keeps. The rates of its items are those of its tax_lines.

alter table order_items
  add column category_id uuid,                 -- of the product when it was sold
  add column settled json;                     -- the price of units that were refunded before an edit
alter table orders
  add column tax_terms json,                   -- null: by the taxes of its lines
  add column discount_rules json;              -- null: none, a discount by hand, or an older order

update order_items
set category_id = products.category_id
from products
where products.store_id = order_items.store_id
  and products.id = order_items.product_id
  and products.category_id is not null;
