-- What a member is notified about and has read. What happened is read from orders, disputes, comments and stock.
create table notification_settings (
  store_id   text not null,
  user_id    uuid not null,
  kinds      text[],                           -- null: all
  read_until timestamptz(3),                   -- all before is read
  read_ids   text[] not null default '{}',     -- and these after it
  primary key (store_id, user_id),
  foreign key (store_id, user_id) references members (store_id, user_id) on delete cascade
);

create index order_comments_mentions on order_comments (store_id, created_at desc, id) where mentions <> '{}';
create index disputes_created on disputes (store_id, created_at desc);

-- When a product became low on stock; null if that was before this column.
alter table scarce_products add column since timestamptz(3);
create index scarce_products_since on scarce_products (store_id, since desc) where since is not null;

create or replace function note_scarce() returns trigger language plpgsql as $$
declare
  sold_out boolean := is_sold_out(new.product_status, new.track_inventory, new.stock_quantity, new.low_stock_threshold);
begin
  if sold_out is null then
    delete from scarce_products where store_id = new.store_id and product_id = new.id;
  else
    insert into scarce_products (store_id, product_id, is_sold_out, since)
    values (new.store_id, new.id, sold_out, new.updated_at)
    on conflict (store_id, product_id) do update set is_sold_out = excluded.is_sold_out;
  end if;
  return null;
end $$;
