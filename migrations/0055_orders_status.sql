-- A list of orders with a status and a payment status is found by the one index, without reading rows.
drop index orders_status;
create index orders_status on orders (store_id, status, created_at desc, id desc) include (is_archived, payment_status);
