-- Products and variants are found by their exact SKU, as imports do for each row of a file.
create index products_sku on products (store_id, sku) where sku is not null;
create index variants_sku on variants (store_id, sku) where sku is not null;
