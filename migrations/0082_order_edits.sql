-- What each edit of an order changed. Reports count it on the day of the edit, and the rest on the day of the order.

create table order_edits (
  store_id        text not null,
  order_id        uuid not null,
  id              uuid not null,
  sold_at         timestamptz(3) not null,     -- when the order was placed
  item_count      int not null,                -- differences to the order before, as all amounts are
  subtotal        numeric not null,
  discount_amount numeric not null,
  shipping_cost   numeric not null,
  tax_amount      numeric not null,
  included_tax    numeric not null,
  total           numeric not null,
  products        json not null,               -- by product: key, label, orders, pieces, discount, refunds, cost
  discounts       json not null,               -- by code: key, orders, pieces, amount, refunds, total
  taxes           json not null,               -- by tax: country_code, name, rate, reason, orders, base, amount
  created_at      timestamptz(3) not null,
  primary key (store_id, order_id, id)
);
create index order_edits_created on order_edits (store_id, created_at);
create index order_edits_sold on order_edits (store_id, sold_at);

create trigger unsummed_insert after insert on order_edits
  for each row execute function note_unsummed('orders');
create trigger unsummed_delete after delete on order_edits
  for each row execute function note_unsummed('orders');

-- Whether and where an edit counts follows from its order.
create function note_unsummed_edits() returns trigger language plpgsql as $$
begin
  insert into unsummed (store_id, kind, quarter)
  select new.store_id, 'orders', date_bin('15 minutes', created_at, 'epoch')
  from order_edits
  where store_id = new.store_id
    and order_id = new.id;
  return null;
end $$;

create trigger unsummed_edits
  after update of status, captured_amount, payment_method, country_code, shipping_address on orders
  for each row when (
    new.edited_at is not null
    and (old.status, old.captured_amount = 0, old.payment_method, old.country_code,
      old.shipping_address ->> 'province_code')
    is distinct from
    (new.status, new.captured_amount = 0, new.payment_method, new.country_code,
      new.shipping_address ->> 'province_code'))
  execute function note_unsummed_edits();
