-- Trigrams of orders and customers, for stores that have many of them (0014).
create index orders_trigrams on orders using gin (store_id, search_text gin_trgm_ops, phone_digits gin_trgm_ops);
create index customers_trigrams on customers using gin (store_id, search_text gin_trgm_ops);
