-- What an order keeps of how it is sent, and what mail needs beside what it has.

alter table orders add column shipping_rate json;   -- as it was when it was placed; null: none, or placed before

-- Whose turn it is: the oldest of each store.
create index mails_turns on mails (store_id, next_attempt_at) where status = 'queued';

-- What is kept of a customer in mail to others goes with the customer too.
alter table outbox add column customer_id uuid;
create index outbox_customer on outbox (store_id, customer_id) where customer_id is not null;
