-- What the refunded units of a bundle or its parts cost after discounts, before added tax: reports subtract it. Null for
-- other items, whose units all cost the same.
alter table refund_items add column goods numeric;
