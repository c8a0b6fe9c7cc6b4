-- Disputes, the money lost in them, and payments that are checked again long after their order was placed.

create table disputes (
  store_id        text not null,
  id              uuid not null,
  session_id      uuid not null,
  reference       text not null,   -- by which the provider knows it
  status          text not null check (status in ('needs_response', 'under_review', 'won', 'lost')),
  amount          numeric not null check (amount >= 0),
  currency        text not null,
  reason          text,
  evidence_due_at timestamptz(3),
  closed_at       timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  constraint disputes_reference unique (store_id, session_id, reference),
  foreign key (store_id, session_id) references payment_sessions (store_id, id) on delete cascade
);

alter table payment_sessions
  add column lost_amount numeric not null default 0,   -- of refunded_amount, what went back by lost disputes
  add column recheck_at  timestamptz(3),               -- when the provider is asked next about money that has moved
  add constraint payment_sessions_lost check (lost_amount between 0 and refunded_amount);
-- The job reads what is due from this one, and nothing else.
create index payment_sessions_recheck on payment_sessions (recheck_at) where recheck_at is not null;

alter table payment_events
  drop constraint payment_events_kind_check,
  add constraint payment_events_kind_check check (kind in
    ('authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
     'refund_reversed', 'cancel_asked', 'cancel_failed', 'canceled', 'failed', 'expired', 'disputed', 'dispute_won',
     'dispute_lost', 'dispute_reversed', 'heard'));

-- Payments of the last months are checked from now on, not all in the same hour.
update payment_sessions
set recheck_at = now() + random() * interval '1 day'
where provider in ('stripe', 'sandbox')
  and captured_amount > 0
  and reference is not null
  and created_at > now() - interval '120 days';

-- A check that finds nothing is no change for the audit log.
drop trigger account_insert on payment_sessions;
drop trigger account_update on payment_sessions;
drop trigger account_delete on payment_sessions;
drop function account_payment_sessions();
select account_for('payment_sessions', hidden => '{look_at,recheck_at,ask_at,tries}',
  private => '{return_url,redirect_url}');
