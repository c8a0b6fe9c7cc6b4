-- Triggers of rollups and low stock name the columns that they depend on: PostgreSQL prepares the condition of a trigger
-- for each statement, and parses the functions in it, but not for statements that set none of its columns.

create or replace trigger scarce_insert after insert on products
  for each row when (new.track_inventory and new.product_status = 'active'
    and new.stock_quantity <= new.low_stock_threshold)
  execute function note_scarce();
create or replace trigger scarce_update
  after update of product_status, track_inventory, stock_quantity, low_stock_threshold on products
  for each row when (
    case when old.track_inventory and old.product_status = 'active' and old.stock_quantity <= old.low_stock_threshold
      then old.stock_quantity <= 0 end
    is distinct from
    case when new.track_inventory and new.product_status = 'active' and new.stock_quantity <= new.low_stock_threshold
      then new.stock_quantity <= 0 end)
  execute function note_scarce();

create or replace trigger unsummed_update
  after update of status, total, captured_amount, refunded_amount, payment_method, country_code, discount_code on orders
  for each row when (
    (old.status, old.total, old.captured_amount, old.refunded_amount, old.payment_method, old.country_code,
      old.discount_code)
    is distinct from
    (new.status, new.total, new.captured_amount, new.refunded_amount, new.payment_method, new.country_code,
      new.discount_code))
  execute function note_unsummed('orders');
create or replace trigger unsummed_update after update of draft_since, order_id on checkouts
  for each row when (
    (old.draft_since is null) <> (new.draft_since is null)
    or (old.order_id is null) <> (new.order_id is null))
  execute function note_unsummed('checkouts');
create or replace trigger unsummed_recovered after update of recovered_at on checkouts
  for each row when (old.recovered_at is null and new.recovered_at is not null)
  execute function note_recovered();
create or replace trigger forget_days after update of timezone on stores
  for each row when (old.timezone <> new.timezone)
  execute function forget_days();
