-- Discounts that apply by themselves, once per customer, from a quantity, to items bought with others, and together.

alter table discounts
  add column title              text,
  add column is_automatic       boolean not null default false,
  add column once_per_customer  boolean not null default false,
  add column min_quantity       int not null default 0 check (min_quantity >= 0),   -- 0: any
  add column buy_quantity       int not null default 1 check (buy_quantity > 0),
  add column buy_product_ids    uuid[] not null default '{}',
  add column buy_category_ids   uuid[] not null default '{}',
  add column get_quantity       int not null default 1 check (get_quantity > 0),
  add column max_per_order      int not null default 0 check (max_per_order >= 0),  -- 0: unlimited
  add column combines_with      text[] not null default '{}'
    check (combines_with <@ '{product,order,shipping}'),
  drop constraint discounts_type_check,
  add constraint discounts_type_check check (type in ('percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y'));

create index discounts_automatic on discounts (store_id, id) where is_automatic;

-- What an order was discounted by, as shoppers see it.
alter table orders add column discounts json not null default '[]';

-- The discounts that an order uses. A canceled or returned order uses none.
create table discount_uses (
  store_id    text not null,
  order_id    uuid not null,
  discount_id uuid not null,                 -- the discount may be deleted since
  primary key (store_id, order_id, discount_id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade
);

insert into discount_uses (store_id, order_id, discount_id)
select store_id, id, discount_id
from orders
where discount_id is not null
  and status not in ('cancelled', 'returned');
