alter table order_comments add constraint order_comments_order_fk
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade;
