-- What people prove themselves with beside a password.

create table totp_factors (
  user_id      uuid primary key references users (id) on delete cascade,
  secret       text not null,               -- sealed
  last_step    bigint not null default 0,   -- of 30 seconds: a code counts once
  created_at   timestamptz(3) not null,
  confirmed_at timestamptz(3)               -- null: its owner has yet to prove that the app knows it
);

create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users (id) on delete cascade,
  credential_id bytea not null,
  public_key    bytea not null,
  counter       bigint not null,            -- of the signatures that it has made, where it counts them
  transports    text[] not null,
  is_synced     boolean not null,           -- its owner's other devices have it too
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

-- Challenges carry their proof; those that were answered are kept until they expire, so that each is answered once.
create table answered_challenges (
  hash       bytea primary key,
  expires_at timestamptz(3) not null
);
create index answered_challenges_expiry on answered_challenges (expires_at);

-- A new address counts once a link that was sent there has been opened.
alter table account_links drop constraint account_links_purpose_check;
alter table account_links add constraint account_links_purpose_check check (purpose in ('reset', 'sign_in', 'email'));
alter table account_links add column email text;

-- Its people need a second factor.
alter table stores add column second_factor_required boolean not null default false;
