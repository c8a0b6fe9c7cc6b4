-- A search of products reads the SKUs of a store's variants, once, from the index alone.
create index variants_of_product on variants (store_id, product_id, position) include (search_text);
drop index variants_product;
