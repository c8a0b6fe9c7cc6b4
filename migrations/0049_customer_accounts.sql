-- Customers sign in to a shop without a password: by an emailed link or code, or by a passkey.

alter table stores add column customer_accounts boolean not null default true;

-- A requested sign-in. Its link and code are signatures of its ID, so neither is stored: only the link's hash.
create table shopper_sign_ins (
  store_id     text not null references stores (id) on delete cascade,
  id           uuid not null,                  -- also of its email
  email        text not null,
  link_hash    bytea not null,
  browser_hash bytea not null,                 -- the code is accepted in this browser alone
  destination  text check (destination in ('checkout')),
  tries        int not null default 0,         -- of codes
  created_at   timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index shopper_sign_ins_link on shopper_sign_ins (store_id, link_hash);
create index shopper_sign_ins_browser on shopper_sign_ins (store_id, browser_hash);
create index shopper_sign_ins_email on shopper_sign_ins (store_id, lower(email));
create index shopper_sign_ins_created on shopper_sign_ins (created_at);

-- A signed-in browser. It counts only as long as the customer has the email that was proven.
create table shopper_sessions (
  store_id    text not null references stores (id) on delete cascade,
  hash        bytea not null,
  customer_id uuid not null,
  email       text not null,                   -- in lower case
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  primary key (store_id, hash)
);
create index shopper_sessions_customer on shopper_sessions (store_id, customer_id);
create index shopper_sessions_end on shopper_sessions (expires_at);

create table shopper_passkeys (
  store_id      text not null references stores (id) on delete cascade,
  id            uuid not null,
  customer_id   uuid not null,
  email         text not null,                 -- in lower case, as above
  credential_id bytea not null,
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_synced     boolean not null,
  name          text not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3),
  primary key (store_id, id)
);
create unique index shopper_passkeys_credential on shopper_passkeys (store_id, credential_id);
create index shopper_passkeys_customer on shopper_passkeys (store_id, customer_id, created_at);
