-- Methods that stand in a checkout because the store has no other: they are chosen anew when it gets company.
alter table checkouts add column presets text[] not null default '{}';

-- Whose checkouts they are is asked when recovery mail is held back, and when a customer is erased.
drop index checkouts_lettered;
create index checkouts_email on checkouts (store_id, lower(customer_email)) where customer_email is not null;
