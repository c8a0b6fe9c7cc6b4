-- What went back of an order: money, through the payment by which it came or by hand, and pieces.

-- `returned_quantity`: of the refunded pieces, those that had been sent; the others are not sent any more.
alter table order_items
  add column refunded_quantity int not null default 0,
  add column returned_quantity int not null default 0,
  add constraint order_items_refunded check (refunded_quantity between 0 and quantity),
  drop constraint order_items_fulfilled,
  add constraint order_items_fulfilled check (returned_quantity between 0 and least(fulfilled_quantity, refunded_quantity)
    and fulfilled_quantity + refunded_quantity - returned_quantity <= quantity);

-- What is on its way back, and what of refunds is for shipping.
alter table orders
  add column refunding_amount  numeric not null default 0 check (refunding_amount >= 0),
  add column refunded_shipping numeric not null default 0 check (refunded_shipping >= 0);
alter table payment_sessions
  add column refunding_amount numeric not null default 0 check (refunding_amount >= 0);

-- Money without an order, which nobody looks for any more.
create index payment_sessions_stray on payment_sessions (store_id)
  where order_id is null and captured_amount > refunded_amount;

create table refunds (
  store_id       text not null,
  id             uuid not null,
  order_id       uuid not null,
  session_id     uuid,                -- the payment through which it goes back; null: by hand
  status         text not null check (status in ('pending', 'succeeded', 'failed')),
  amount         numeric not null check (amount > 0),
  shipping       numeric not null check (shipping >= 0),
  reason         text,
  restock        boolean not null,
  actor          text not null,       -- who asked for it, for the movements of stock
  failure_reason text,
  ask_at         timestamptz(3),      -- when the provider is to be asked, again if nobody has written its answer
  tries          smallint not null default 0,
  succeeded_at   timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade,
  foreign key (store_id, session_id) references payment_sessions (store_id, id),
  check ((status = 'pending') = (ask_at is not null))
);
create index refunds_order on refunds (store_id, order_id, created_at desc, id desc);
create index refunds_session on refunds (store_id, session_id) where session_id is not null;
-- The job reads what is due from this one, and nothing else.
create index refunds_due on refunds (ask_at) where ask_at is not null;

create table refund_items (
  store_id  text not null,
  refund_id uuid not null,
  order_id  uuid not null,
  item_id   uuid not null,
  quantity  int not null check (quantity > 0),
  returned  int not null check (returned between 0 and quantity),
  amount    numeric not null check (amount >= 0),
  primary key (store_id, refund_id, item_id),
  foreign key (store_id, refund_id) references refunds (store_id, id) on delete cascade,
  foreign key (store_id, order_id, item_id) references order_items (store_id, order_id, id) on delete cascade
);
create index refund_items_item on refund_items (store_id, order_id, item_id);
