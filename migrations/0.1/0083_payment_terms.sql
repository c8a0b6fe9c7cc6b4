-- Payments use the words of orders and of their field: cancelled, needs_review, capturable_amount, release_failed.

alter table payment_sessions rename column needs_attention to needs_review;
alter table payment_sessions rename column held_amount to capturable_amount;
alter table payment_sessions rename constraint payment_sessions_held_amount_check
  to payment_sessions_capturable_amount_check;
alter index payment_sessions_attention rename to payment_sessions_review;

drop index payment_sessions_open;
alter table payment_sessions drop constraint payment_sessions_status_check;
update payment_sessions
set status = case status when 'canceled' then 'cancelled' else status end,
    trouble = case trouble when 'not_let_go' then 'release_failed' else trouble end
where status = 'canceled'
  or trouble = 'not_let_go';
alter table payment_sessions add constraint payment_sessions_status_check check (status in
  ('pending', 'requires_action', 'processing', 'authorized', 'captured', 'failed', 'cancelled', 'expired'));
-- A checkout has one open payment at a time. A changed amount replaces it.
create unique index payment_sessions_open on payment_sessions (store_id, checkout_id)
  where purpose = 'order' and order_id is null and status not in ('failed', 'cancelled', 'expired');

alter table payment_events drop constraint payment_events_kind_check;
update payment_events
set kind = 'cancelled',
    key = regexp_replace(key, ' canceled$', ' cancelled')
where kind = 'canceled';
alter table payment_events add constraint payment_events_kind_check check (kind in
  ('authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
   'refund_reversed', 'cancel_asked', 'cancel_failed', 'cancelled', 'failed', 'expired', 'disputed', 'dispute_won',
   'dispute_lost', 'dispute_reversed', 'heard'));

-- Due payments and refunds by store, so that stores take turns. What is due at all is found by the time alone.
create index payment_sessions_due_turns on payment_sessions (store_id, look_at) where look_at is not null;
create index payment_sessions_recheck_turns on payment_sessions (store_id, recheck_at) where recheck_at is not null;
create index payment_sessions_asked_turns on payment_sessions (store_id, ask_at) where ask_at is not null;
create index refunds_due_turns on refunds (store_id, ask_at) where ask_at is not null;
-- Requests that no provider has answered for a day, until they are reported.
create index payment_sessions_overdue on payment_sessions (asked_at) where asked_at is not null and not is_late;
create index refunds_overdue on refunds (created_at) where ask_at is not null and not is_late;

-- Since PostgreSQL 18 a not null has a name too.
do $$
declare
  names record;
begin
  for names in
    select conname as before,
      replace(replace(conname, 'needs_attention', 'needs_review'), 'held_amount', 'capturable_amount') as after
    from pg_constraint
    where conrelid = 'payment_sessions'::regclass
      and (conname like '%needs_attention%' or conname like '%held_amount%')
  loop
    execute format('alter table payment_sessions rename constraint %I to %I', names.before, names.after);
  end loop;
end $$;
