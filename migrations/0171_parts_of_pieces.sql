-- Refunds and returns of single parts of a bundle. -1: units of the whole item.
alter table refund_items add column part smallint not null default -1;
alter table refund_items drop constraint refund_items_pkey;
alter table refund_items add primary key (store_id, refund_id, item_id, part);

alter table return_items add column part smallint not null default -1;
alter table return_items drop constraint return_items_pkey;
alter table return_items add primary key (store_id, return_id, item_id, part);
