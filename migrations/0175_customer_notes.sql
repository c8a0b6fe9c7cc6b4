-- Where, when and with which words a customer agreed to marketing, or no longer does. The newest is in their record.
alter table customers add column marketing_consent json;

-- All of them, never changed. They prove the consent, also after the customer is erased: the address is only a hash.
create table marketing_consents (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  customer_id uuid not null,
  email_hash  bytea,
  state       text not null check (state in ('subscribed', 'unsubscribed')),
  source      text not null,
  text        text,
  created_at  timestamptz(3) not null,
  primary key (store_id, id)
);
create index marketing_consents_customer on marketing_consents (store_id, customer_id, created_at desc, id desc);
create index marketing_consents_email on marketing_consents (store_id, email_hash, created_at desc, id desc)
  where email_hash is not null;
create index marketing_consents_created on marketing_consents (store_id, created_at desc, id desc);

select account_for('marketing_consents', private => '{email_hash}');

-- What staff write about a customer for each other.
create table customer_notes (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  customer_id uuid not null,
  body        text not null,
  author_kind text not null,
  author_id   text not null,                   -- a public ID, or a name
  created_at  timestamptz(3) not null,
  primary key (store_id, id)
);
create index customer_notes_customer on customer_notes (store_id, customer_id, created_at desc, id desc);

select account_for('customer_notes', private => '{body}', keeps => true);
