-- What is not shipped, such as a download; a variant without a value of its own is as its product.
alter table products add column requires_shipping boolean not null default true;
alter table variants add column requires_shipping boolean;

-- As it was when it was sold.
alter table order_items add column requires_shipping boolean not null default true;
