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

-- array_to_json is stable, because some types are written in the format of a session. Texts and uuids are not.
create function list_json(list text[]) returns json
language sql immutable strict parallel safe as 'select array_to_json(list)';

create function list_json(list uuid[]) returns json
language sql immutable strict parallel safe as 'select array_to_json(list)';

-- The folding of src/kit/values/slug.ts for a text that is lower-case and decomposed.
create function fold_letters(folded text) returns text
language sql immutable parallel safe as $$
  select regexp_replace(
    translate(replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'łđøıðħŧς’‘ʼ`´＇', 'ldoidhtσ'''''''''''''),
    '([\u3005-\u30ff\u3400-\u9fff]) (?=[\u3005-\u30ff\u3400-\u9fff])', '\1', 'g')
$$;

-- Letters of scripts without spaces, and of Korean, whose words are compounds.
create function has_unspaced(words text) returns boolean
language sql immutable parallel safe as $$
  select words ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]'
$$;

-- Each run of such letters as pairs, so that a word is found wherever it stands: りんご is りん, んご and ご.
create function letter_pairs(words text) returns text
language sql immutable parallel safe as $$
  select string_agg(
    case when has_unspaced(run) then (
        select string_agg(substr(run, place, 2), ' ' order by place) from generate_series(1, length(run)) as place)
      else run end, ' ' order by number)
  from string_to_table(regexp_replace(words,
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]+)', ' \1 ', 'g'),
    ' ') with ordinality as runs (run, number)
  where run <> ''
$$;

-- The words of a text, lower-case and without accents, each prefixed with the store's id: one index holds all stores'
-- words, and a search reads only those of one store.
create function store_words(store_id text, words text) returns tsvector
language sql immutable parallel safe cost 2000 set search_path from current as $$
  select array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(
      case when has_unspaced(split) then letter_pairs(split) else split end), ''), ' ', ' ' || store_id || ':'), ' '))
  from (
    select regexp_replace(regexp_replace(
      folded || case when folded ~ '\w''\w' then ' ' || replace(folded, '''', '') else '' end,
      '[^[:alnum:]\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', ' ', 'g'),
      '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g') as split
    from (
      select fold_letters(normalize(lower(regexp_replace(normalize(left(words, 4000), nfkd),
        '[\u0300-\u036f\u0e47-\u0e4e\u064b-\u065f\u0640]+', '', 'g')), nfc)) as folded) as texts) as texts
$$;

-- True if this server knows a time zone: its data may be older than the name.
create function is_time_zone(name text) returns boolean language plpgsql stable as $$
begin
  perform timestamptz 'epoch' at time zone name;
  return true;
exception
  when invalid_parameter_value then
    return false;
end
$$;

-- Tags as the index has them: each with its store, so that a store finds its own alone. Case does not matter.
create function store_tags(store_id text, tags text[]) returns text[]
language sql immutable strict parallel safe as $$
  select array_agg(store_id || ':' || lower(tag)) from unnest(tags) as tag
$$;

-- Triggers of the audit log collect changes in settings of the transaction (stoa.changes, stoa.records, stoa.personal).
-- A full page is set aside under its number, and the next one begins empty; stoa.pages counts them.
create function turn_audit_page() returns void language plpgsql as $$
declare
  page    text := coalesce(nullif(current_setting('stoa.pages', true), '')::int, 0) + 1;
  setting text;
begin
  perform set_config('stoa.pages', page, true);
  foreach setting in array '{changes,records,personal}'::text[] loop
    perform set_config(format('stoa.%s_%s', setting, page), coalesce(current_setting('stoa.' || setting, true), ''), true);
    perform set_config('stoa.' || setting, '', true);
  end loop;
end $$;

-- Everything that a transaction has collected in one of the settings; null if nothing.
create function audit_pages(setting text) returns text language plpgsql stable as $$
declare
  last text := nullif(current_setting('stoa.' || setting, true), '');
begin
  if coalesce(current_setting('stoa.pages', true), '') = '' then return last; end if;
  return nullif(concat_ws(',', (
    select string_agg(nullif(current_setting(format('stoa.%s_%s', setting, page)), ''), ',' order by page)
    from generate_series(1, current_setting('stoa.pages')::int) as page), last), '');
end $$;

-- The changes of a store that this server has noted, and those that the entry has brought. A row of a table that every
-- server has was noted by both.
create function join_audit_notes(store text, own json, brought json) returns json language sql immutable as $$
  select json_agg(entry order by is_brought, position)
  from (
    select entry, false as is_brought, position
    from json_array_elements(own) with ordinality as noted (entry, position)
    union all
    select entry, true, position
    from json_array_elements(brought) with ordinality as noted (entry, position)
    where (entry ->> 'id', coalesce(entry ->> 'table', '')) not in (
      select known ->> 'id', coalesce(known ->> 'table', '')
      from json_array_elements(coalesce(own, '[]')) as noted (known))) as notes
  where entry ->> 'store' = store
$$;

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
  tax_rate                       numeric not null default 0 check (tax_rate between 0 and 100), -- percent
  tax_included                   boolean not null default false, -- prices include tax
  tax_shipping                   boolean not null default false, -- shipping is taxed too
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
  face_version                   int not null default 0, -- grows with every change of the columns above and of pages
  default_language               text,         -- null: the main language of the country
  languages                      text[] not null default '{en,es}', -- other languages of the shop
  translated                     text[] not null default '{}', -- languages that have translations
  translations                   json,
  second_factor_required         boolean not null default false,
  test_payments                  boolean not null default false,
  auto_complete_orders           boolean not null default false,
  return_window_days             int not null default 30 check (return_window_days between 0 and 3650),
  customer_accounts              boolean not null default true,
  agent_checkouts                boolean not null default true,
  agent_orders                   boolean not null default true,
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
  store_id                text primary key references stores (id) on delete cascade,
  products_active         int not null default 0 check (products_active >= 0),
  products_draft          int not null default 0 check (products_draft >= 0),
  products_archived       int not null default 0 check (products_archived >= 0),
  categories              int not null default 0 check (categories >= 0),
  discounts               int not null default 0 check (discounts >= 0),
  customers               int not null default 0 check (customers >= 0),
  orders                  int not null default 0 check (orders >= 0),
  webhooks                int not null default 0 check (webhooks >= 0),
  api_keys                int not null default 0 check (api_keys >= 0),
  staff                   int not null default 0 check (staff >= 0),
  order_number            bigint not null default 1000,
  collections             int not null default 0 check (collections >= 0),
  orders_archived         int not null default 0 check (orders_archived >= 0),
  -- Orders of the past keep their numbers, so a store that has imported some has gaps between its numbers.
  order_numbers_have_gaps boolean not null default false,
  redirects               int not null default 0 check (redirects >= 0)
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
  last     bigint not null default 0,
  -- From which time on a store has events, deliveries and attempts: the jobs that delete old ones visit a store when its
  -- oldest may be due, instead of visiting all. An id has the time. The real oldest is never before it.
  oldest   uuid not null default '00000000-0000-0000-0000-000000000000'
) with (fillfactor = 50);
create index event_logs_oldest on event_logs (oldest);

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
  position   bigint generated by default as identity, -- assigned when the event is written
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
  request_uuid uuid,
  proposal_id  uuid,
  proposed_by  text,
  primary key (store_id, id)
);
create index audit_log_request on audit_log (store_id, request_id) where request_id is not null;
create index audit_log_reverted on audit_log (store_id, reverted_by) where reverted_by is not null;
create index audit_log_request_uuid on audit_log (store_id, request_uuid) where request_uuid is not null;

-- The end of each store's chain, and its first kept entry after retention dropped earlier ones.
create table audit_chains (
  store_id       text primary key,
  sequence       bigint not null,              -- of the last sealed row
  hash           bytea not null,
  first_sequence bigint not null default 0,
  first_hash     bytea not null default '\x'::bytea,
  oldest         uuid not null default '00000000-0000-0000-0000-000000000000'
);
create index audit_chains_oldest on audit_chains (oldest);

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
  draft_order_id  uuid,                        -- whose link it pays
  return_id       uuid,
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
create index mails_draft_order on mails (store_id, draft_order_id) where draft_order_id is not null;

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

-- Tables in the audit log.
select account_for('stores', hidden => '{face_version,translated}');

select account_for('mail_settings', key => 'kind');

-- Entries that the job has not sealed yet. A trigger adds each new entry; the job deletes it.
create table audit_unsealed (
  store_id text not null,
  entry_id uuid not null,
  primary key (store_id, entry_id)
);

-- Entries that were sealed together, in the order of their store's chain.
create table audit_seals (
  store_id   text not null,
  sequence   bigint not null,                  -- of the first entry
  last_entry uuid not null,                    -- the newest of the entries
  entries    uuid[] not null,
  hashes     bytea[] not null,                 -- of each entry, over it and the previous hash
  primary key (store_id, sequence)
);
create index audit_seals_last on audit_seals (store_id, last_entry);

-- The entries of each record. The job adds them when it seals an entry.
create table audit_records (
  store_id  text not null,
  record_id uuid not null,
  entry_id  uuid not null,
  primary key (store_id, record_id, entry_id)
);

-- Completes the last statement of a transaction. It runs where the row is stored, and so where other triggers have
-- collected the changes. Without changes there is no entry.
create function complete_audit_entry() returns trigger language plpgsql as $$
begin
  if new.records is null and new.changes is null then
    new.changes := '[' || audit_pages('changes') || ']';
    if new.changes is null then return null; end if;
    new.personal := '[' || audit_pages('personal') || ']';
    new.records := array_remove(
      ('{' || coalesce(audit_pages('records'), '') || '}')::uuid[] || new.proposal_id, null);
  elsif new.records is null then
    new.changes := join_audit_notes(new.store_id, ('[' || audit_pages('changes') || ']')::json, new.changes);
    if new.changes is null then return null; end if;
    new.personal := join_audit_notes(new.store_id, ('[' || audit_pages('personal') || ']')::json, new.personal);
    new.records := array_remove(array(
      select distinct (entry ->> 'id')::uuid
      from json_array_elements(new.changes) as noted (entry)
      where entry ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') || new.proposal_id, null);
  end if;
  insert into audit_unsealed (store_id, entry_id) values (new.store_id, new.id);
  return new;
end $$;

create trigger complete_entry before insert on audit_log
  for each row execute function complete_audit_entry();

-- A version is the sum of its column over all rows of the store. There are as many rows as transactions have written at
-- once: none of them waits for another.
create table store_versions (
  store_id  text not null,
  slot      int not null,
  access    bigint not null default 0,
  settings  bigint not null default 0,
  catalog   bigint not null default 0,
  discounts bigint not null default 0,
  customers bigint not null default 0,
  orders    bigint not null default 0,
  primary key (store_id, slot)
) with (fillfactor = 50);

-- Moves a version of a store. The step is random: after a failover that lost commits, no version comes back.
create function move_version(owner text, subject text) returns void language plpgsql as $$
declare
  step bigint := 1 + floor(random() * 1000000);
begin
  update store_versions
  set access = access + case subject when 'access' then step else 0 end,
    settings = settings + case subject when 'settings' then step else 0 end,
    catalog = catalog + case subject when 'catalog' then step else 0 end,
    discounts = discounts + case subject when 'discounts' then step else 0 end,
    customers = customers + case subject when 'customers' then step else 0 end,
    orders = orders + case subject when 'orders' then step else 0 end
  where store_versions.store_id = owner
    and slot = (
      select idle.slot
      from store_versions as idle
      where idle.store_id = owner
      order by idle.slot
      limit 1
      for update skip locked);
  if not found then
    execute format('insert into store_versions (store_id, slot, %I) values ($1, $2, $3)', subject)
    using owner, floor(random() * 2147483647)::int, step;
  end if;
end $$;

-- The first row that a transaction changes moves the version; the setting names those that it has moved.
create function follow_version() returns trigger language plpgsql as $$
declare
  owner   text;
  subject text := tg_argv[0];
  moved   text := current_setting('stoa.moved', true);
begin
  if tg_op = 'DELETE' then owner := old.store_id; else owner := new.store_id; end if;
  if strpos(moved, concat(',', subject, owner, ',')) > 0 then
    return null;
  end if;
  -- A transaction of many stores moves a version again rather than search a long text.
  moved := set_config('stoa.moved', concat(right(moved, 1000), ',', subject, owner, ','), true);
  perform move_version(owner, subject);
  return null;
end $$;

-- Makes the triggers that move the version `subject` with the rows of `source`, or with some of its columns alone.
-- `moments` are the columns with times that change what is read of a row, without a write.
create function follow(source text, subject text, columns text default null, moments text default '')
returns void language plpgsql as $$
begin
  execute format('create trigger %I after insert or delete on %I for each row execute function follow_version(%L)',
    'follow_' || subject || '_rows', source, subject);
  execute format('create trigger %I after update %s on %I for each row execute function follow_version(%L, %L)',
    'follow_' || subject, 'of ' || columns, source, subject, moments);
end $$;

-- The records of a kept response are filled in where its row is stored: in a distributed database only that server
-- knows what the triggers of the audit log have noted.
create function complete_idempotency_key() returns trigger language plpgsql as $$
begin
  new.records := ('{' || coalesce(current_setting('stoa.records', true), '') || '}')::uuid[];
  return new;
end $$;

create trigger complete_key before insert on idempotency_keys
for each row execute function complete_idempotency_key();

-- Like refuse(condition). `cell` is a column of the row, so that the call waits for the row.
create function refuse(condition text, cell bigint) returns bigint language plpgsql immutable as $$
begin
  perform refuse(condition);
  return cell;
end $$;

-- For those who change a plan by hand: its stores show what it allows.
create function plan_changed(changed text) returns void language plpgsql as $$
declare
  owner text;
begin
  for owner in select id from stores where plan_id = changed loop
    perform move_version(owner, 'settings');
  end loop;
end $$;

create table agent_orders (
  store_id    text not null references stores (id) on delete cascade,
  checkout_id uuid not null,
  profile     text not null,                   -- address of the agent's profile, which has that of its webhook
  origin      text not null,                   -- of the store, as the agent knows it
  order_id    uuid,                            -- once it is placed
  version     int not null default 0,          -- counts the changes
  changed_at  timestamptz(3),                  -- the last change
  due_at      timestamptz(3),                  -- when the agent is told next; null: it knows all
  tries       int not null default 0,
  created_at  timestamptz(3) not null,
  primary key (store_id, checkout_id)
);
create unique index agent_orders_order on agent_orders (store_id, order_id) where order_id is not null;
create index agent_orders_due on agent_orders (due_at) where due_at is not null;
create index agent_orders_turns on agent_orders (store_id, due_at) where due_at is not null;
create index agent_orders_unplaced on agent_orders (created_at) where order_id is null;

select follow(source, 'settings') from unnest('{store_slugs,mail_settings}'::text[]) as source;
select follow('store_counters', 'catalog',
  'products_active, products_draft, products_archived, categories, collections');
select follow('store_counters', 'discounts', 'discounts');
select follow('store_counters', 'customers', 'customers');
select follow('store_counters', 'orders', 'orders');
select follow('store_counters', 'access', 'api_keys, staff, webhooks');
