-- Signing in. Of every value that opens something only the SHA-256 is kept.

create table sessions (
  id           uuid primary key,
  user_id      uuid not null references users (id) on delete cascade,
  hash         bytea not null,
  ip           text not null,
  user_agent   text not null,
  created_at   timestamptz(3) not null,   -- when the password was given
  last_seen_at timestamptz(3) not null,
  expires_at   timestamptz(3) not null
);
create unique index sessions_hash on sessions (hash);
create index sessions_user on sessions (user_id, created_at desc, id desc);
create index sessions_expiry on sessions (expires_at);

-- Links that open once: a new password, a sign-in.
create table account_links (
  hash       bytea primary key,
  purpose    text not null check (purpose in ('reset', 'sign_in')),
  user_id    uuid not null references users (id) on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index account_links_user on account_links (user_id);
create index account_links_expiry on account_links (expires_at);

create table invitations (
  store_id   text not null references stores (id) on delete cascade,
  id         uuid not null,
  email      text not null,
  role       text not null check (role in ('owner', 'admin', 'staff')),
  hash       bytea not null,
  invited_by uuid references users (id) on delete set null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index invitations_hash on invitations (hash);
create unique index invitations_email on invitations (store_id, lower(email));
create index invitations_expiry on invitations (expires_at);

-- Mail that no server takes: kept until the operator reads it. Bodies are sealed, for they carry links that open.
create table outbox (
  id         uuid primary key,
  recipient  text not null,
  subject    text not null,
  body       text not null,
  created_at timestamptz(3) not null
);
create index outbox_age on outbox (created_at desc, id desc);
