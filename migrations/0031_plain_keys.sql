-- A distributed database refuses a key that sets a part of itself null, and gives the tables of its nodes other names.

-- Whoever deletes a category or a customer takes it from its products or orders first.
alter table products
  drop constraint products_store_id_category_id_fkey,
  add constraint products_store_id_category_id_fkey
    foreign key (store_id, category_id) references categories (store_id, id);
alter table orders
  drop constraint orders_customer,
  add constraint orders_customer foreign key (store_id, customer_id) references customers (store_id, id);
