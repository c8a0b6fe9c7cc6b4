-- PostgreSQL reads the condition of a trigger again in each statement, and those that compared a dozen columns took half
-- of what the trigger costs. An update of these columns changes one of them anyway, updated_at if no other.

create or replace trigger keep_listed after update of product_status, created_at, updated_at, publish_at, price,
  stock_quantity, low_stock_threshold, track_inventory, is_tracked, is_featured, variant_count on products
for each row execute function keep_listed_products();

create or replace trigger keep_listed after update of orders_count, total_spent, last_order_at, accepts_marketing
  on customers
for each row execute function keep_listed_customers();

create or replace trigger keep_listed after update of created_at, updated_at, status, payment_status,
  fulfillment_status, is_archived, order_number, total, country_code, province, country, channel, agent on orders
for each row execute function keep_listed_orders();
