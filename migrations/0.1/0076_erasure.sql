-- Erasing a customer finds checkouts by every phone that they have had, kept answers by
-- the records of which they tell, and mail in the outbox by who is to be answered.
drop index checkouts_phone;
create index checkouts_phone on checkouts (store_id, regexp_replace(customer_phone, '\D', '', 'g'))
  where customer_phone is not null;

alter table idempotency_keys alter column body drop not null;   -- null: erased with a customer
alter table idempotency_keys add column records uuid[] not null default '{}';

alter table outbox add column reply_to text;
