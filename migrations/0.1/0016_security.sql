-- Who signed in, failed to, changed a password, a role, a key or a grant: kept 365 days, past the end of what it tells of.
create table security_events (
  store_id   text not null,               -- '' for what concerns no store
  id         uuid not null,
  event      text not null,
  actor_kind text not null,
  actor_id   text,
  ip         text,
  user_agent text,
  subject    text,                        -- the public id of whom or what it was done to
  details    json,
  created_at timestamptz(3) not null,
  primary key (store_id, created_at, id)
);
create index security_events_age on security_events (created_at);
create index security_events_subject on security_events (subject, created_at) where subject is not null;

-- Where the owner of an account has signed in from: there, other people's wrong guesses close nothing.
create table sign_in_addresses (
  user_id uuid not null references users (id) on delete cascade,
  address text not null,                  -- of IPv6 the /64
  seen_at timestamptz(3) not null,
  primary key (user_id, address)
);
create index sign_in_addresses_age on sign_in_addresses (seen_at);
