-- Several discount codes on one order. discount_code stays: the first that applies, or the first.
alter table checkouts add column discount_codes text[] not null default '{}';
alter table draft_orders add column discount_codes text[] not null default '{}';
alter table draft_orders add column discounts json not null default '[]';
