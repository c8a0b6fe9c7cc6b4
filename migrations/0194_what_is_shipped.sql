-- concurrently
-- Whether a store without a shipping rate sells anything that is shipped, at once even if it sells much that is not.
create index products_shipped on products (store_id) where product_status = 'active' and requires_shipping;
create index variants_shipped on variants (store_id, product_id) where requires_shipping;
