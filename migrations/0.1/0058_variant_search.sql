-- A search of products reads the SKUs of a store's variants, once, from the index alone.
create index variants_of_product on variants (store_id, product_id, position) include (search_text);
drop index variants_product;

-- What was written lately is compared word by word with each search until it is merged: 256 KB of it cost 12 ms.
alter index products_words set (gin_pending_list_limit = 64);
alter index variants_words set (gin_pending_list_limit = 64);
alter index products_translated set (gin_pending_list_limit = 64);
