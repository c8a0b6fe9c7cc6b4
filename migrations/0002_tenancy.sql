-- Plans and stores, events, the audit log, idempotency and the email queue: what every write of a store carries.

-- Fails a statement and its transaction the way a violated constraint of this name would.
create function refuse(condition text) returns int language plpgsql as $$
begin
  raise exception using errcode = 'check_violation', constraint = condition, message = 'refused: ' || condition;
end $$;

-- The beginning of every translated text, for the search.
create function translated_texts(translations json) returns text
language sql immutable parallel safe cost 2000 as $$
  select string_agg(left(said #>> '{}', 600), ' ')
  from jsonb_path_query(translations::jsonb, 'strict $.**') as said
  where jsonb_typeof(said) = 'string'
$$;

-- Adds the three audit triggers to a table. Their function is generated from the columns after all migrations, and again
-- whenever the columns change (src/platform/postgres/accounting.ts). `key` identifies a record. `hidden` columns are
-- derived and stay out of the log. `private` columns appear by name only; with `keeps` their values go to a column that
-- can be erased. The triggers fire only in sessions that write the log, not in a restore or a manual session.
create function account_for(
  relation regclass, key text default 'id', hidden text[] default '{}', private text[] default '{}',
  keeps boolean default false
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
  ('free', 'Free',
    '{"products": 50, "categories": 10, "discounts": 3, "webhooks": 2, "api_keys": 2, "staff": 1}',
    '{}'),
  ('starter', 'Starter',
    '{"products": 500, "categories": 50, "discounts": 25, "webhooks": 5, "api_keys": 5, "staff": 3}',
    '{inventory,custom_domain,order_bumps}'),
  ('growth', 'Growth',
    '{"products": 5000, "categories": 500, "discounts": 250, "webhooks": 20, "api_keys": 20, "staff": 10}',
    '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}'),
  ('unlimited', 'Unlimited',
    '{"webhooks": 50, "api_keys": 50}',
    '{inventory,custom_domain,order_bumps,abandoned_checkouts,discounts_advanced,wholesale,analytics}');

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
  tax_included                   boolean not null default false,  -- prices include tax
  tax_shipping                   boolean not null default false,  -- shipping is taxed too
  checkout_abandon_after_minutes int check (checkout_abandon_after_minutes between 10 and 1440),
  recovery_email_enabled         boolean not null default true,
  tax_id                         text,         -- the store's own, printed on invoices
  tax_rounding                   text not null default 'order' check (tax_rounding in ('line', 'order')),
  tax_fixed_prices               boolean not null default true,
  reply_to_email                 text,         -- where customers' replies go
  notification_email             text,         -- receives notices of new orders; null: owners and admins
  checkout_fields                jsonb not null default '{}',
  logo                           text,
  favicon                        text,
  accent_color                   text,
  accent_color_dark              text,         -- null: derived from accent_color
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
  face_version                   int not null default 0,  -- grows with every change of the columns above and of pages
  default_language               text,         -- null: the main language of the country
  languages                      text[] not null default '{en,es}',  -- other languages of the shop
  translated                     text[] not null default '{}',  -- languages that have translations
  translations                   json,
  second_factor_required         boolean not null default false,
  test_payments                  boolean not null default false,
  auto_complete_orders           boolean not null default false,
  constraint stores_slug unique (slug)
);
-- Several stores may enter a domain. It belongs to the one that verified it.
create unique index stores_custom_domain on stores (custom_domain) where domain_verified;

-- Former slugs of stores. Until `until` they redirect to the new one, and no other store can take them.
create table store_slugs (
  store_id text not null references stores (id) on delete cascade,
  slug     text not null,
  until    timestamptz(3) not null,
  primary key (store_id, slug)
);
create unique index store_slugs_slug on store_slugs (slug);
create index store_slugs_until on store_slugs (until);

-- One row per store: counters for plan limits and lists, updated by the statements that change the rows.
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

-- Answers for repeated requests with the same Idempotency-Key, written in the transaction of the change.
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

-- The last number of each store's event log. Numbering locks this row.
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

-- Events without a number yet. `emit` adds a row with the event; numbering deletes it.
create table unnumbered_events (
  store_id   text not null,
  position   bigint generated by default as identity,  -- assigned when the event is written
  event_uuid uuid not null,
  primary key (store_id, "position")
);

-- What every write changed. Triggers collect the rows of each statement, before and after, in settings of the
-- transaction (stoa.changes, stoa.records, stoa.personal). Its last statement writes them into one row, with the cause.
create table audit_log (
  store_id     text not null,
  id           uuid not null,                  -- ordered by time
  request_id   text,
  actor_kind   text not null,
  actor_id     text not null,
  actor_user   text,                           -- the person an OAuth app acts for
  operation    text not null,
  records      uuid[] not null,                -- ids of the changed records
  -- [{table, id, before, after, private}]: changed fields, private ones by name only
  changes      json not null,
  personal     json,                           -- [{id, salt, before, after}], or {id, digest} after erasure
  created_at   timestamptz(3) not null,
  reverted_by  text,                           -- the request that undid it
  sequence     bigint,                         -- position in the store's chain; null until sealed
  hash         bytea,                          -- over this row and the previous hash
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

-- The end of each store's chain, and its first kept entry after retention dropped earlier ones.
create table audit_chains (
  store_id       text primary key,
  sequence       bigint not null,              -- of the last sealed row
  hash           bytea not null,
  first_sequence bigint not null default 0,
  first_hash     bytea not null default '\x'::bytea
);

-- A store's settings for one kind of email: switched off, or with its own texts. Without a row the defaults apply.
create table mail_settings (
  store_id   text not null references stores (id) on delete cascade,
  kind       text not null,
  is_active  boolean not null default true,
  updated_at timestamptz(3) not null,
  words      jsonb not null default '{}',
  primary key (store_id, kind)
);

-- No foreign keys: the record an email is about references the store and is written in the same transaction.
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
  next_attempt_at timestamptz(3),              -- while queued; during an attempt, when the claim ends
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
-- The sender finds due emails here without reading anything else.
create index mails_due on mails (next_attempt_at) where status = 'queued';
create index mails_created on mails (store_id, created_at desc, id desc);
create index mails_order on mails (store_id, order_id) where order_id is not null;
create index mails_age on mails (created_at) where status <> 'queued';
-- The oldest email of each store, so that stores take turns.
create index mails_turns on mails (store_id, next_attempt_at) where status = 'queued';
create index mails_enquiry on mails (store_id, lower(enquiry->>'email')) where enquiry is not null;
-- Failed emails for the dashboard's home page: few of many.
create index mails_failed on mails (store_id, created_at desc, id desc) where status = 'failed';
create index mails_checkout on mails (store_id, checkout_id) where checkout_id is not null;
create index mails_recipient on mails (store_id, lower(recipient), created_at desc) where recipient is not null;
create index mails_sent on mails (store_id, sent_at) where sent_at is not null;
-- How many recovery emails a store queued recently.
create index mails_kind on mails (store_id, kind, created_at desc);

-- Addresses that opted out of a store's recovery emails, as SHA-256 of the lower-case address.
create table mail_refusals (
  store_id   text not null references stores (id) on delete cascade,
  email_hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (store_id, email_hash)
);

-- A request of one store may queue an account email, such as an invitation, but not read any.
alter table mails enable row level security;
create policy own_store on mails
  using (store_id = current_setting('stoa.store_id', true) or current_setting('stoa.store_id', true) = '*')
  with check (store_id in (current_setting('stoa.store_id', true), '') or current_setting('stoa.store_id', true) = '*');

-- Claims a slug for a store, or refuses it while another store keeps it. Runs as its owner to see all stores' rows in
-- spite of row-level security. Other claims of the slug wait until this transaction ends.
create function claim_slug(wanted text, claimant text, at timestamptz) returns void
language plpgsql security definer set search_path from current as $$
begin
  delete from store_slugs where slug = wanted and (store_id = claimant or until <= at);
  if exists (select from store_slugs where slug = wanted) then
    perform refuse('store_slugs_slug');
  end if;
end $$;

-- The words of a text, lower-case and without accents, each prefixed with the store's id: one index holds all stores'
-- words, and a search reads only those of one store.
create function store_words(store_id text, words text) returns tsvector
language sql immutable parallel safe cost 2000 as $$
  select array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(
      regexp_replace(regexp_replace(
        lower(regexp_replace(normalize(left(words, 4000), nfkd), '[\u0300-\u036f]+', '', 'g')),
        '[^[:alnum:]]+', ' ', 'g'), '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g')), ''), ' ', ' ' || store_id || ':'), ' '))
$$;

-- Tables in the audit log.
select account_for('stores', hidden => '{face_version,translated}');
select account_for('mail_settings', key => 'kind');
