-- What the page of a category says, and the slugs that categories have given up, as of products.
alter table categories add column description text;

create table category_slugs (
  store_id    text not null,
  slug        text not null,
  category_id uuid not null,
  since       timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, category_id) references categories (store_id, id) on delete cascade
);
create index category_slugs_category on category_slugs (store_id, category_id, since desc);

-- In the order of its page: the newest of a category are read without looking at the others.
drop index products_category;
create index products_category on products (store_id, category_id, product_status, created_at desc, id desc)
  where category_id is not null;
