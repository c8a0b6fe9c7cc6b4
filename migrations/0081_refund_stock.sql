-- A refund that comes with a change of the order's status says nothing of stock: that change decides.
alter table refunds add column leaves_stock boolean not null default false;
