-- The day from which an item ships, as 2027-01-05. Until then it is a pre-order.
alter table products add column available_on text;
alter table variants add column available_on text;   -- null: that of the product

-- The day that an item was sold with; null unless it lay ahead.
alter table order_items add column available_on text;

-- Whether the shopper has ticked the box for marketing, and the sentence beside it.
alter table checkouts
  add column accepts_marketing boolean not null default false,
  add column marketing_text text;
