-- Lists that no index has in their order, and counts of their filters, read these indexes and no rows: of 200,000
-- products or orders that takes a fifth of the time. Every update of a product writes this index anyway, for updated_at.
drop index products_updated;
create index products_updated on products (store_id, product_status, updated_at desc, id desc)
  include (created_at, price, stock_quantity, low_stock_threshold, track_inventory, is_tracked, is_featured,
    variant_count);

drop index orders_created;
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status, customer_name);
