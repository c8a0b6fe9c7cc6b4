-- Orders that are edited after they were placed. An edit can leave less to pay than was paid: what is refunded of that
-- is no refund of a sale, since the order's own amounts are lower already.

alter table orders
  add column edited_at timestamptz(3),             -- when items or amounts were last edited
  add column refunded_overpayment numeric not null default 0,
  add column refunding_overpayment numeric not null default 0 check (refunding_overpayment >= 0),  -- by pending refunds
  add constraint orders_overpayment check (refunded_overpayment between 0 and refunded_amount);

alter table refunds
  add column overpayment numeric not null default 0,  -- part of the amount
  add constraint refunds_overpayment check (overpayment between 0 and amount);

-- Reports by product and tax follow an edit that leaves the total as it is.
create trigger unsummed_edit after update of edited_at on orders
  for each row when (old.edited_at is distinct from new.edited_at)
  execute function note_unsummed('orders');
create trigger unsummed_overpayment after update of refunded_overpayment on orders
  for each row when (old.refunded_overpayment <> new.refunded_overpayment)
  execute function note_unsummed('orders');
