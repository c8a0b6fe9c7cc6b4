-- Units that are in stock though their refund failed later; below zero: those that a later refund took over.
alter table refund_items add column kept_in_stock integer not null default 0;
