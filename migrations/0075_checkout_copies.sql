-- A link that hands a checkout over opens a copy of it: what its visitor enters stays with their browser.
alter table checkouts
  add column continues uuid,                   -- the checkout whose link the browser came by
  add column placed_in uuid;                   -- the checkout of another browser that became the order
