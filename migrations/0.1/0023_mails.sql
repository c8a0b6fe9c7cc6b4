-- Mail to people: what is to be sent, written with the change that it tells of, and how each store wants it.

alter table orders
  add column locale          text,                             -- null: the language of the store's country
  add column notify_customer boolean not null default false;   -- mail about it goes to the customer

alter table stores
  add column reply_to_email     text,   -- where answers to mail go
  add column notification_email text;   -- who learns of new orders; null: owners and admins

-- No foreign keys: what a mail tells of refers to the store already, and is written in the same transaction.
create table mails (
  store_id        text not null,
  id              uuid not null,
  kind            text not null,
  recipient       text,              -- null once the person is erased
  language        text not null,
  order_id        uuid,
  checkout_id     uuid,
  fulfillment_id  uuid,
  refund_id       uuid,
  status          text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'refused')),
  attempts        smallint not null default 0,
  next_attempt_at timestamptz(3),    -- while it is queued; of one that is being sent, when another may try
  message_id      text,              -- the same in every attempt
  error           text,
  created_at      timestamptz(3) not null,
  sent_at         timestamptz(3),
  primary key (store_id, id),
  check ((status = 'queued') = (next_attempt_at is not null))
);
-- What is due is read from this one, and nothing else.
create index mails_due on mails (next_attempt_at) where status = 'queued';
create index mails_created on mails (store_id, created_at desc, id desc);
create index mails_order on mails (store_id, order_id) where order_id is not null;
create index mails_recipient on mails (store_id, lower(recipient)) where recipient is not null;
create index mails_age on mails (created_at) where status <> 'queued';

-- A kind of mail as a store has it: switched off, or in words of its own. One without a row is as usual.
create table mail_settings (
  store_id   text not null references stores (id) on delete cascade,
  kind       text not null,
  is_active  boolean not null default true,
  en         json,
  es         json,
  updated_at timestamptz(3) not null,
  primary key (store_id, kind)
);

-- What is kept where no server takes mail goes with the customer too.
alter table outbox add column store_id text not null default '';   -- '' for mail of no store
create index outbox_recipient on outbox (store_id, lower(recipient));
