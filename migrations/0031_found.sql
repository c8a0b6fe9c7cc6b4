-- How products are found: the slugs that they have given up, which lead to the ones that they have.

create table product_slugs (
  store_id   text not null,
  slug       text not null,
  product_id uuid not null,
  since      timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index product_slugs_product on product_slugs (store_id, product_id, since desc);
