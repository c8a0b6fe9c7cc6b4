-- Whether a customer wants news of the store, and when that was last said.
alter table customers
  add column accepts_marketing boolean not null default false,
  add column marketing_changed_at timestamptz(3);

-- The orders that a code took something off.
create index orders_discount on orders (store_id, discount_code, created_at desc, id desc)
  where discount_code is not null;

-- What was left of late and what became of it: the sums of 30 days read these entries and no row.
create index checkouts_left on checkouts (store_id, abandoned_at) include (status, currency, total, order_id)
  where abandoned_at is not null;

create index mails_checkout on mails (store_id, checkout_id) where checkout_id is not null;
