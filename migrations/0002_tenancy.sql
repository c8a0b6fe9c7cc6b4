-- Plans and stores, events, the audit log, idempotency and the email queue: what every write of a store carries.

-- Ends a statement, and its transaction, as the violation of a constraint of this name would.
create function refuse(condition text) returns int language plpgsql as $$
begin
  raise exception using errcode = 'check_violation', constraint = condition, message = 'refused: ' || condition;
end $$;

-- All that translations say, the beginning of each text.
create function translated_texts(translations json) returns text
language sql immutable parallel safe cost 2000 as $$
  select string_agg(left(said #>> '{}', 600), ' ')
  from jsonb_path_query(translations::jsonb, 'strict $.**') as said
  where jsonb_typeof(said) = 'string'
$$;

-- Gives a table its three triggers, whose function is made from its columns once all migrations are applied, and anew
-- when they have changed (src/platform/postgres/accounting.ts). `key` names a record; `hidden` columns follow from others;
-- of `private` columns only the names are told; with `keeps` the values of those go where they can be erased. They are
-- for sessions that write the log: others, as one of a restore or of an operator's hand, have nobody who would write it.
create function account_for(
  relation regclass, key text default 'id', hidden text[] default '{}', private text[] default '{}', keeps boolean default false
) returns void language plpgsql as $$
declare
  teller    text := 'account_' || relation::text;
  operation text;
begin
  execute format('create function %I() returns trigger language plpgsql as ''begin return null; end''', teller);
  foreach operation in array '{insert,update,delete}'::text[] loop
    execute format(
      'create trigger account_%s after %s on %s referencing %s for each statement
         when (current_setting(''stoa.journal'', true) = ''on'')
         execute function %I(%L, %L, %L, %L)',
      operation, operation, relation,
      case operation
        when 'insert' then 'new table as after'
        when 'delete' then 'old table as before'
        else 'old table as before new table as after' end,
      teller, key, hidden || '{store_id,updated_at,search_text}'::text[], private, keeps);
  end loop;
end $$;

create table plans (
  id       text primary key,
  name     text not null,
  limits   jsonb not null,                     -- noun → maximum; a missing noun is unlimited
  features text[] not null
);

insert into plans (id, name, limits, features) values
  ('free',      'Free',      '{"products": 50,   "categories": 10,  "discounts": 3,   "webhooks": 2,  "api_keys": 2,  "staff": 1}',  '{}'),
  ('starter',   'Starter',   '{"products": 500,  "categories": 50,  "discounts": 25,  "webhooks": 5,  "api_keys": 5,  "staff": 3}',  '{inventory,custom_domain,order_bumps}'),
  ('growth',    'Growth',    '{"products": 5000, "categories": 500, "discounts": 250, "webhooks": 20, "api_keys": 20, "staff": 10}', '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}'),
  ('unlimited', 'Unlimited', '{"webhooks": 50, "api_keys": 50}',                                                                   '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}');

create table stores (
  id                             text primary key check (id ~ '^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$'),
  name                           text not null,
  slug                           text not null,
  description                    text,
  currency                       text not null check (currency ~ '^[A-Z]{3}$'),
  country_code                   text not null check (country_code ~ '^[A-Z]{2}$'),
  status                         text not null default 'active' check (status in
    ('active', 'paused', 'suspended', 'closed')),
  store_title                    text,
  custom_domain                  text,
  domain_verified                boolean not null default false,
  timezone                       text not null,
  maintenance_mode               boolean not null default false,
  plan_id                        text not null references plans (id),
  created_at                     timestamptz(3) not null,
  updated_at                     timestamptz(3) not null,
  tax_rate                       numeric not null default 0 check (tax_rate between 0 and 100),  -- percent
  tax_included                   boolean not null default false,  -- prices contain it
  tax_shipping                   boolean not null default false,  -- shipping is taxed too
  checkout_abandon_after_minutes int check (checkout_abandon_after_minutes between 10 and 1440),
  recovery_email_enabled         boolean not null default true,
  tax_id                         text,         -- its own, for invoices
  tax_rounding                   text not null default 'order' check (tax_rounding in ('line', 'order')),
  tax_fixed_prices               boolean not null default true,
  reply_to_email                 text,         -- where answers to mail go
  notification_email             text,         -- who learns of new orders; null: owners and admins
  checkout_fields                jsonb not null default '{}',
  logo                           text,
  favicon                        text,
  accent_color                   text,
  accent_color_dark              text,         -- null: made of the other
  font                           text not null default 'sans' check (font in ('sans', 'serif', 'rounded')),
  corners                        text not null default 'rounded' check (corners in
    ('rounded', 'square', 'round')),
  announcement                   text,
  announcement_link              text,
  hero_image                     text,
  hero_title                     text,
  hero_text                      text,
  legal_name                     text,
  contact_email                  text,
  contact_phone                  text,
  contact_address                text,
  social_links                   json not null default '[]',
  header_menu                    json not null default '[]',
  footer_menu                    json not null default '[]',
  face_version                   int not null default 0,  -- moves with all of these and with the pages
  default_language               text,         -- null: what most people of its country speak
  languages                      text[] not null default '{en,es}',  -- in which its pages may be read beside that
  translated                     text[] not null default '{}',  -- into which something was translated
  translations                   json,
  second_factor_required         boolean not null default false,
  test_payments                  boolean not null default false,
  auto_complete_orders           boolean not null default false,
  constraint stores_slug unique (slug)
);
-- Anybody may name a domain; it belongs to the store that has proven it.
create unique index stores_custom_domain on stores (custom_domain) where domain_verified;

-- Slugs that stores have given up: until then they lead to the store's new one, and no other store may have them.
create table store_slugs (
  store_id text not null references stores (id) on delete cascade,
  slug     text not null,
  until    timestamptz(3) not null,
  primary key (store_id, slug)
);
create unique index store_slugs_slug on store_slugs (slug);
create index store_slugs_until on store_slugs (until);

-- One row a store: what its plan limits and what its lists count, moved by the statements that change the rows.
create table store_counters (
  store_id          text primary key references stores (id) on delete cascade,
  products_active   int not null default 0 check (products_active >= 0),
  products_draft    int not null default 0 check (products_draft >= 0),
  products_archived int not null default 0 check (products_archived >= 0),
  categories        int not null default 0 check (categories >= 0),
  discounts         int not null default 0 check (discounts >= 0),
  customers         int not null default 0 check (customers >= 0),
  orders            int not null default 0 check (orders >= 0),
  webhooks          int not null default 0 check (webhooks >= 0),
  api_keys          int not null default 0 check (api_keys >= 0),
  staff             int not null default 0 check (staff >= 0),
  order_number      bigint not null default 1000,
  collections       int not null default 0 check (collections >= 0)
) with (fillfactor = 50);

-- Answers to repeated requests with the same Idempotency-Key, written in the transaction of the effect.
create table idempotency_keys (
  store_id    text not null references stores (id) on delete cascade,
  credential  text not null,
  key         text not null,
  fingerprint bytea not null,
  status      int not null,
  location    text,
  body        text,
  created_at  timestamptz(3) not null,
  records     uuid[] not null default '{}',
  primary key (store_id, credential, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table events (
  store_id    text not null,
  id          uuid not null,
  event       text not null,
  event_id    text not null,                   -- the public id of the affected entity
  body        text not null,
  occurred_at timestamptz(3) not null,
  webhook_id  uuid,
  request_id  text,
  primary key (store_id, id)
);
create index events_about on events (store_id, event_id);

-- How far a store's log reaches. Its row is the lock of whoever numbers.
create table event_logs (
  store_id text primary key references stores (id) on delete cascade,
  last     bigint not null default 0
) with (fillfactor = 50);

create table event_numbers (
  store_id   text not null,
  event_uuid uuid not null,
  sequence   bigint not null,
  primary key (store_id, event_uuid)
);
create unique index event_numbers_sequence on event_numbers (store_id, sequence);

-- What has no number yet. Emit writes a row beside the event; numbering takes it away.
create table unnumbered_events (
  store_id   text not null,
  position   bigint generated by default as identity,  -- taken when the event is written
  event_uuid uuid not null,
  primary key (store_id, "position")
);

-- What every write has changed. Triggers note the rows of a statement, before and after, in settings of the transaction
-- (stoa.changes, stoa.records, stoa.personal); its last statement writes them into one row of audit_log, with its
-- cause.
create table audit_log (
  store_id     text not null,
  id           uuid not null,                  -- in the order of time
  request_id   text,
  actor_kind   text not null,
  actor_id     text not null,
  actor_user   text,                           -- for whom an app of OAuth acts
  operation    text not null,
  records      uuid[] not null,                -- of all that changed
  -- [{table, id, before, after, private}]: fields that changed; of private ones the names
  changes      json not null,
  personal     json,                           -- [{id, salt, before, after}], or of who was erased {id, digest}
  created_at   timestamptz(3) not null,
  reverted_by  text,                           -- the request that has undone it
  sequence     bigint,                         -- from here on once it is sealed: counts the store's rows
  hash         bytea,                          -- of this row and of the hash of the one before
  request_uuid uuid,
  proposal_id  uuid,
  proposed_by  text,
  primary key (store_id, id)
);
create index audit_log_request on audit_log (store_id, request_id) where request_id is not null;
create index audit_log_records on audit_log using gin (records) with (gin_pending_list_limit = 256);
create index audit_log_reverted on audit_log (store_id, reverted_by) where reverted_by is not null;
create index audit_log_unsealed on audit_log (store_id, id) where sequence is null;
create unique index audit_log_sequence on audit_log (store_id, sequence) where sequence is not null;
create index audit_log_request_uuid on audit_log (store_id, request_uuid) where request_uuid is not null;

-- The end of each store's chain, and where it begins since what was before has been dropped.
create table audit_chains (
  store_id       text primary key,
  sequence       bigint not null,              -- of the last row that is sealed
  hash           bytea not null,
  first_sequence bigint not null default 0,
  first_hash     bytea not null default '\x'::bytea
);

-- A kind of mail as a store has it: switched off, or in words of its own. One without a row is as usual.
create table mail_settings (
  store_id   text not null references stores (id) on delete cascade,
  kind       text not null,
  is_active  boolean not null default true,
  updated_at timestamptz(3) not null,
  words      jsonb not null default '{}',
  primary key (store_id, kind)
);

-- No foreign keys: what a mail tells of refers to the store already, and is written in the same transaction.
create table mails (
  store_id        text not null,
  id              uuid not null,
  kind            text not null,
  recipient       text,                        -- null once the person is erased
  language        text not null,
  order_id        uuid,
  checkout_id     uuid,
  fulfillment_id  uuid,
  refund_id       uuid,
  status          text not null default 'queued' check (status in
    ('queued', 'sent', 'failed', 'refused', 'suppressed')),
  attempts        smallint not null default 0,
  next_attempt_at timestamptz(3),              -- while it is queued; of one that is being sent, when another may try
  message_id      text,                        -- the same in every attempt
  error           text,
  created_at      timestamptz(3) not null,
  sent_at         timestamptz(3),
  enquiry         json,
  request_id      text,
  account         json,
  payment_id      uuid,
  primary key (store_id, id),
  check ((status = 'queued') = (next_attempt_at is not null))
);
-- What is due is read from this one, and nothing else.
create index mails_due on mails (next_attempt_at) where status = 'queued';
create index mails_created on mails (store_id, created_at desc, id desc);
create index mails_order on mails (store_id, order_id) where order_id is not null;
create index mails_age on mails (created_at) where status <> 'queued';
-- Whose turn it is: the oldest of each store.
create index mails_turns on mails (store_id, next_attempt_at) where status = 'queued';
create index mails_enquiry on mails (store_id, lower(enquiry->>'email')) where enquiry is not null;
-- The mails that reached nobody, for the dashboard's first screen: few of many.
create index mails_failed on mails (store_id, created_at desc, id desc) where status = 'failed';
create index mails_checkout on mails (store_id, checkout_id) where checkout_id is not null;
create index mails_recipient on mails (store_id, lower(recipient), created_at desc) where recipient is not null;
create index mails_sent on mails (store_id, sent_at) where sent_at is not null;
-- How many recovery emails a store queued of late.
create index mails_kind on mails (store_id, kind, created_at desc);

-- Who wants no recovery mail of a store, by the SHA-256 of the lower-case address.
create table mail_refusals (
  store_id   text not null references stores (id) on delete cascade,
  email_hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (store_id, email_hash)
);

-- A request of one store may queue an account email, such as an invitation, and read none.
alter table mails enable row level security;
create policy own_store on mails
  using (store_id = current_setting('stoa.store_id', true) or current_setting('stoa.store_id', true) = '*')
  with check (store_id in (current_setting('stoa.store_id', true), '') or current_setting('stoa.store_id', true) = '*');

-- The slug becomes that store's, or is refused while it is kept for another. It sees the rows of all stores, which a
-- request for one does not where policies hold; until the claimant commits, whoever else wants the slug waits.
create function claim_slug(wanted text, claimant text, at timestamptz) returns void
language plpgsql security definer set search_path from current as $$
begin
  delete from store_slugs where slug = wanted and (store_id = claimant or until <= at);
  if exists (select from store_slugs where slug = wanted) then
    perform refuse('store_slugs_slug');
  end if;
end $$;

-- The words of a text in lower case and without accents, each behind the id of its store: an index of them holds those of
-- every store and is read for one alone.
create function store_words(store_id text, words text) returns tsvector
language sql immutable parallel safe cost 2000 as $$
  select array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(
      regexp_replace(regexp_replace(
        lower(regexp_replace(normalize(left(words, 4000), nfkd), '[\u0300-\u036f]+', '', 'g')),
        '[^[:alnum:]]+', ' ', 'g'), '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g')), ''), ' ', ' ' || store_id || ':'), ' '))
$$;

-- The audit log tells of their rows.
select account_for('stores', hidden => '{face_version,translated}');
select account_for('mail_settings', key => 'kind');
