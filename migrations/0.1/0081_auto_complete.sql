-- Orders complete themselves once they are paid and sent, where the store wants it.
alter table stores add column auto_complete_orders boolean not null default false;
