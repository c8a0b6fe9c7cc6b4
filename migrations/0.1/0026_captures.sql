-- Money that is held: what of it is asked for, and what was asked so long ago that somebody should look.

alter table orders add column capturing_amount numeric not null default 0 check (capturing_amount >= 0);

alter table payment_sessions
  add column held_amount      numeric not null default 0 check (held_amount >= 0),   -- as the provider said last
  add column capturing_amount numeric not null default 0 check (capturing_amount >= 0),
  add column asked_id         uuid,                            -- the event that asks to take it, or to let it go
  add column asked_at         timestamptz(3),
  add column ask_at           timestamptz(3),                  -- when the provider is to be asked, again if it was
  add column tries            smallint not null default 0,
  add column is_late          boolean not null default false,  -- asked for more than a day
  add constraint payment_sessions_asked check (
    (asked_id is null) = (ask_at is null)
    and (asked_id is null) = (asked_at is null)
    and (asked_id is not null or capturing_amount = 0 and not is_late));
-- The job reads what is due from this one, and nothing else.
create index payment_sessions_asked on payment_sessions (ask_at) where ask_at is not null;

alter table refunds add column is_late boolean not null default false;

alter table payment_events
  drop constraint payment_events_kind_check,
  add constraint payment_events_kind_check check (kind in
    ('authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
     'refund_reversed', 'cancel_asked', 'cancel_failed', 'canceled', 'failed', 'expired', 'disputed', 'heard'));

-- What is held already is looked after from now on.
update payment_sessions
set held_amount = authorized_amount - captured_amount,
    look_at = coalesce(look_at, now())
where status = 'authorized'
  and authorized_amount > captured_amount;
