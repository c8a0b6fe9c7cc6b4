-- Returns of shipped items: requested, approved, received, and then refunded or closed.

alter table stores
  add column return_window_days int not null default 30 check (return_window_days between 0 and 3650);

create table returns (
  store_id        text not null,
  id              uuid not null,
  order_id        uuid not null,
  order_number    bigint not null,
  number          int not null,                -- among the returns of the order, from 1
  status          text not null check (status in
    ('requested', 'approved', 'received', 'closed', 'declined', 'cancelled')),
  requested_by    text not null check (requested_by in ('customer', 'staff')),
  instructions    text,
  decline_reason  text,
  restocking_fee  numeric not null default 0 check (restocking_fee >= 0),
  refund_id       uuid,
  exchange_order_id uuid,
  approved_at     timestamptz(3),
  declined_at     timestamptz(3),
  received_at     timestamptz(3),
  closed_at       timestamptz(3),
  cancelled_at    timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  constraint returns_number unique (store_id, order_id, number),
  check ((refund_id is null and exchange_order_id is null) or status = 'closed')
);
create index returns_newest on returns (store_id, created_at desc, id desc);
create index returns_order on returns (store_id, order_id, created_at desc, id desc);
-- Those that wait for the merchant: few of many.
create index returns_requested on returns (store_id, created_at desc, id desc) where status = 'requested';

create table return_items (
  store_id          text not null,
  return_id         uuid not null,
  order_id          uuid not null,
  item_id           uuid not null,
  quantity          int not null check (quantity > 0),
  reason            text not null,
  note              text,
  received_quantity int not null default 0,
  damaged_quantity  int not null default 0,
  primary key (store_id, return_id, item_id),
  check (received_quantity between 0 and quantity),
  check (damaged_quantity between 0 and received_quantity)
);
create index return_items_item on return_items (store_id, order_id, item_id);

select account_for('returns', private => '{instructions,decline_reason}');
select account_for('return_items', key => 'item_id', private => '{note}');

select follow(source, 'orders') from unnest('{returns,return_items}'::text[]) as source;

alter table mails add column return_id uuid;
