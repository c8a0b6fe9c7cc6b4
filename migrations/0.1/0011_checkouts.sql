-- Methods that stand in a checkout because the store has no other: they are chosen anew when it gets company.
alter table checkouts add column presets text[] not null default '{}';

-- Whose checkouts they are is asked when recovery mail is held back, and when a customer is erased.
drop index checkouts_lettered;
create index checkouts_email on checkouts (store_id, lower(customer_email)) where customer_email is not null;

-- The link of a draft is not the token of whoever began its checkout. `token` is the link's, sealed; a checkout that
-- another browser began by it names the draft.
alter table checkouts
  add column recovery_hash bytea,
  add column recovers uuid;
update checkouts set recovery_hash = token_hash where token is not null;
create unique index checkouts_recovery on checkouts (store_id, recovery_hash) where recovery_hash is not null;

-- How many recovery mails a store has sent of late.
create index checkouts_lettered on checkouts (store_id, letter_sent_at) where letter_sent_at is not null;
