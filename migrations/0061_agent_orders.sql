-- Checkouts of agents that want to be told of their orders. A change of the order makes its row due in the same
-- transaction; what is told is the whole order as it is then.

create table agent_orders (
  store_id    text not null references stores (id) on delete cascade,
  checkout_id uuid not null,
  profile     text not null,                   -- address of the agent's profile, which has that of its webhook
  origin      text not null,                   -- of the store, as the agent knows it
  order_id    uuid,                            -- once it is placed
  version     int not null default 0,          -- counts the changes
  changed_at  timestamptz(3),                  -- the last change
  due_at      timestamptz(3),                  -- when the agent is told next; null: it knows all
  tries       int not null default 0,
  created_at  timestamptz(3) not null,
  primary key (store_id, checkout_id)
);

create unique index agent_orders_order on agent_orders (store_id, order_id) where order_id is not null;
create index agent_orders_due on agent_orders (due_at) where due_at is not null;
create index agent_orders_turns on agent_orders (store_id, due_at) where due_at is not null;
create index agent_orders_unplaced on agent_orders (created_at) where order_id is null;
