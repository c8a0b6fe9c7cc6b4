-- People and their sessions, API keys, and the OAuth authorization server.

create table users (
  id            uuid primary key,
  email         text not null,
  name          text,
  password_hash text,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null
);
create unique index users_email on users (lower(email));

create table sessions (
  id           uuid primary key,
  user_id      uuid not null references users (id) on delete cascade,
  hash         bytea not null,
  ip           text not null,
  user_agent   text not null,
  created_at   timestamptz(3) not null,        -- time of the sign-in
  last_seen_at timestamptz(3) not null,
  expires_at   timestamptz(3) not null
);
create unique index sessions_hash on sessions (hash);
create index sessions_user on sessions (user_id, created_at desc, id desc);
create index sessions_expiry on sessions (expires_at);

-- Addresses an account's owner signed in from. Wrong guesses by others never lock them out there.
create table sign_in_addresses (
  user_id uuid not null references users (id) on delete cascade,
  address text not null,                       -- IPv6: the /64
  seen_at timestamptz(3) not null,
  primary key (user_id, address)
);
create index sign_in_addresses_age on sign_in_addresses (seen_at);

-- Single-use links for password reset, sign-in and email change.
create table account_links (
  hash       bytea primary key,
  purpose    text not null check (purpose in ('reset', 'sign_in', 'email')),
  user_id    uuid not null references users (id) on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  email      text
);
create index account_links_user on account_links (user_id);
create index account_links_expiry on account_links (expires_at);

create table totp_factors (
  user_id      uuid primary key references users (id) on delete cascade,
  secret       text not null,                  -- sealed
  last_step    bigint not null default 0,      -- 30-second step of the last code, so that none is used twice
  created_at   timestamptz(3) not null,
  confirmed_at timestamptz(3)                  -- null until a first code proves that the app has it
);

create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users (id) on delete cascade,
  credential_id bytea not null,
  public_key    bytea not null,
  counter       bigint not null,               -- signature counter; 0 if the passkey has none
  transports    text[] not null,
  is_synced     boolean not null,              -- available on the owner's other devices
  name          text not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3)
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id, created_at, id);

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  hash    bytea not null,
  primary key (user_id, hash)
);

-- Answered challenges, kept until they expire so that none is answered twice. Open ones carry their own proof.
create table answered_challenges (
  hash       bytea primary key,
  expires_at timestamptz(3) not null
);
create index answered_challenges_expiry on answered_challenges (expires_at);

-- Sign-ins, failures, and changes of passwords, roles, keys and grants. Kept 365 days, even if the subject is deleted.
create table security_events (
  store_id   text not null,                    -- '' for accounts
  id         uuid not null,
  event      text not null,
  actor_kind text not null,
  actor_id   text,
  ip         text,
  user_agent text,
  subject    text,                             -- public id of the affected person or record
  details    json,
  created_at timestamptz(3) not null,
  primary key (store_id, created_at, id)
);
create index security_events_age on security_events (created_at);
create index security_events_subject on security_events (subject, created_at) where subject is not null;

-- Without a mail server, emails are kept here for the operator. Bodies are sealed because they carry sign-in links.
create table outbox (
  id          uuid primary key,
  recipient   text not null,
  subject     text not null,
  body        text not null,
  created_at  timestamptz(3) not null,
  store_id    text not null default '',
  customer_id uuid,
  reply_to    text
);
create index outbox_age on outbox (created_at desc, id desc);
create index outbox_recipient on outbox (store_id, lower(recipient));
create index outbox_customer on outbox (store_id, customer_id) where customer_id is not null;

create table members (
  store_id   text not null references stores (id) on delete cascade,
  user_id    uuid not null references users (id) on delete cascade,
  role       text not null check (role in ('owner', 'admin', 'staff', 'custom')),
  created_at timestamptz(3) not null,
  role_id    uuid constraint members_role_id_check check ((role = 'custom') = (role_id is not null)),
  primary key (store_id, user_id)
);
create index members_user on members (user_id);
create index members_role on members (store_id, role_id) where role_id is not null;

create table invitations (
  store_id   text not null references stores (id) on delete cascade,
  id         uuid not null,
  email      text not null,
  role       text not null check (role in ('owner', 'admin', 'staff', 'custom')),
  hash       bytea not null,
  invited_by uuid references users (id) on delete set null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  role_id    uuid constraint invitations_role_id_check check ((role = 'custom') = (role_id is not null)),
  primary key (store_id, id)
);
create unique index invitations_hash on invitations (hash);
create unique index invitations_email on invitations (store_id, lower(email));
create index invitations_expiry on invitations (expires_at);
create index invitations_role on invitations (store_id, role_id) where role_id is not null;

create table api_keys (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,
  name         text not null,
  mode         text not null check (mode in ('live', 'test')),
  hash         bytea not null,
  last4        text not null,
  scopes       text[] not null,
  expires_at   timestamptz(3),
  is_active    boolean not null default true,
  last_used_at timestamptz(3),
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  policy       json,
  primary key (store_id, id)
);
create unique index api_keys_hash on api_keys (hash);

-- Verified software. A software_id is self-asserted, so verification also requires these redirect hosts.
create table oauth_software (
  software_id text primary key,
  hosts       text[] not null,
  verified_at timestamptz(3) not null
);

create table oauth_clients (
  id          text primary key,
  origin      text not null check (origin in ('dynamic', 'portal', 'document')),
  owner_id    uuid references users (id) on delete cascade, -- the developer who registered it; null: the operator
  name        text not null,
  metadata    json not null,                   -- RFC 7591, without the secret
  secret_hash bytea,                           -- null: a public client
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3)                   -- null: never
);
create index oauth_clients_expiry on oauth_clients (expires_at) where expires_at is not null;
create index oauth_clients_documents on oauth_clients (created_at) where origin = 'document';
create index oauth_clients_owner on oauth_clients (owner_id, created_at desc, id desc) where owner_id is not null;

-- A member's consent to a client. Its id begins with the store's, so that a token names its store.
create table oauth_grants (
  store_id     text not null references stores (id) on delete cascade,
  id           text not null,
  client_id    text not null,
  user_id      uuid not null,
  scopes       text[] not null,
  payload      json not null,
  last_used_at timestamptz(3),
  created_at   timestamptz(3) not null,
  primary key (store_id, id),
  constraint oauth_grants_client foreign key (client_id) references oauth_clients (id) on delete cascade,
  constraint oauth_grants_member foreign key (store_id, user_id) references members (store_id, user_id) on delete cascade,
  check (starts_with(id, (store_id || '.')))
);
create index oauth_grants_of_client on oauth_grants (client_id);
create index oauth_grants_of_member on oauth_grants (store_id, user_id);
create index oauth_grants_created on oauth_grants (created_at);

-- Authorization requests waiting for a person.
create table oauth_interactions (
  id         bytea primary key,
  payload    json not null,
  expires_at timestamptz(3) not null
);
create index oauth_interactions_expiry on oauth_interactions (expires_at);

-- Codes, access tokens and refresh tokens, looked up by hash before the store is known.
create table oauth_tokens (
  id          bytea primary key,
  kind        text not null check (kind in
    ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  store_id    text not null,
  grant_id    text not null,
  payload     json not null,
  consumed_at timestamptz(3),
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  -- The answer to a refresh, sealed with the token that was presented: it can be given once more for a moment.
  successor   text,
  constraint oauth_tokens_grant foreign key (store_id, grant_id) references oauth_grants (store_id, id) on delete cascade
);
create index oauth_tokens_of_grant on oauth_tokens (store_id, grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

create table app_policies (
  store_id  text not null references stores (id) on delete cascade,
  client_id text not null references oauth_clients (id) on delete cascade,
  policy    json not null,
  primary key (store_id, client_id)
);
create index app_policies_client on app_policies (client_id);

-- Writes of a credential with a limit, in the hour and day (in the store's time zone) of its last write.
create table policy_uses (
  store_id text not null references stores (id) on delete cascade,
  holder   text not null,                      -- public id of the key or of the client
  hour     text not null,                      -- 2026-11-22T13
  in_hour  int not null,
  day      text not null,
  in_day   int not null,
  primary key (store_id, holder)
) with (fillfactor = 50);

-- Tables in the audit log.
select account_for('api_keys', hidden => '{last_used_at}', private => '{hash}');

select account_for('members', key => 'user_id');
select account_for('app_policies', key => 'client_id');

-- Roles that a store defines beside owner, admin and staff. `scopes` includes all that they imply.
create table roles (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  name        text not null,
  description text,
  scopes      text[] not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index roles_name on roles (store_id, lower(name));

alter table members add constraint members_role foreign key (store_id, role_id) references roles (store_id, id);
alter table invitations add constraint invitations_role foreign key (store_id, role_id) references roles (store_id, id);
select account_for('roles');
select follow('api_keys', 'access',
  'id, name, mode, hash, last4, scopes, policy, is_active, expires_at, created_at, updated_at');
