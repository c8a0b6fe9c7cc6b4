-- OAuth: clients, what users granted them for a store, and the tokens of a grant. Of every value that opens something
-- only the SHA-256 is kept. One DELETE of a client, a member, a store or a grant takes along all that hangs on it.

create table oauth_clients (
  id          text primary key,
  origin      text not null check (origin in ('dynamic', 'portal', 'document')),
  owner_id    uuid references users (id) on delete cascade,   -- who made it in the portal; null: the operator
  name        text not null,
  metadata    json not null,   -- RFC 7591, without the secret
  secret_hash bytea,           -- null: a public client
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3)   -- null: never
);
create index oauth_clients_expiry on oauth_clients (expires_at) where expires_at is not null;
create index oauth_clients_documents on oauth_clients (created_at) where origin = 'document';
create index oauth_clients_owner on oauth_clients (owner_id, created_at desc, id desc) where owner_id is not null;

-- What the operator has verified: a software_id is self-asserted, so the mark also demands these redirect hosts.
create table oauth_software (
  software_id text primary key,
  hosts       text[] not null,
  verified_at timestamptz(3) not null
);

-- A member let a client in. Its id begins with the store's, so that a token knows its store.
create table oauth_grants (
  store_id     text not null references stores (id) on delete cascade,
  id           text not null check (starts_with(id, store_id || '.')),
  client_id    text not null constraint oauth_grants_client references oauth_clients (id) on delete cascade,
  user_id      uuid not null,
  scopes       text[] not null,
  payload      json not null,
  last_used_at timestamptz(3),
  created_at   timestamptz(3) not null,
  primary key (store_id, id),
  constraint oauth_grants_member foreign key (store_id, user_id) references members (store_id, user_id) on delete cascade
);
create index oauth_grants_of_client on oauth_grants (client_id);
create index oauth_grants_of_member on oauth_grants (store_id, user_id);
create index oauth_grants_created on oauth_grants (created_at);

-- Codes, access tokens and refresh tokens, found by their hash before any store is known.
create table oauth_tokens (
  id          bytea primary key,
  kind        text not null check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  store_id    text not null,
  grant_id    text not null,
  payload     json not null,
  consumed_at timestamptz(3),
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  constraint oauth_tokens_grant foreign key (store_id, grant_id) references oauth_grants (store_id, id) on delete cascade
);
create index oauth_tokens_of_grant on oauth_tokens (store_id, grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

-- Authorization requests that wait for a person.
create table oauth_interactions (
  id         bytea primary key,
  payload    json not null,
  expires_at timestamptz(3) not null
);
create index oauth_interactions_expiry on oauth_interactions (expires_at);
