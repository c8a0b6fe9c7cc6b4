-- Times at which drafts are published and products unpublished.

alter table products
  add column publish_at timestamptz(3),
  add column unpublish_at timestamptz(3),
  add check (publish_at is null or product_status = 'draft'),
  add check (unpublish_at is null or product_status = 'active' or publish_at is not null);

create index products_publish on products (publish_at) where publish_at is not null;
create index products_unpublish on products (unpublish_at) where unpublish_at is not null;
create index products_scheduled on products (store_id, publish_at) where publish_at is not null;
