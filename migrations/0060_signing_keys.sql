-- The keys that sign what this installation sends to shoppers' agents, for all stores. Their public halves are in the
-- profile of each store.

create table signing_keys (
  id          text primary key,                -- the kid: the thumbprint of the public key (RFC 7638)
  public_key  json not null,                   -- a JSON Web Key
  private_key text not null,                   -- PKCS #8, sealed
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3)                   -- of one that was replaced: published until then
);

create unique index signing_keys_current on signing_keys ((expires_at is null)) where expires_at is null;
