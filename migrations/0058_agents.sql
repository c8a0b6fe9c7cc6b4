-- What shoppers' agents may do in a store.

alter table stores
  add column agent_checkouts boolean not null default true,
  add column agent_orders boolean not null default true;
