-- concurrently
-- The products of all states by their creation, which a walk of the whole catalog follows, without sorting all of them.
create index products_newest on products (store_id, created_at desc, id desc);
-- Customers by their consent are counted without reading their rows.
create index listed_customers_count on listed_customers (store_id, orders_count desc, id desc)
  include (accepts_marketing);
drop index listed_customers_orders;
