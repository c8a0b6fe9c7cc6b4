-- What a key, or an app that was let in, may do within its scopes; src/calls/policy.ts says what that can be.
alter table api_keys add column policy json;

create table app_policies (
  store_id  text not null references stores (id) on delete cascade,
  client_id text not null references oauth_clients (id) on delete cascade,
  policy    json not null,
  primary key (store_id, client_id)
);
create index app_policies_client on app_policies (client_id);
select account_for('app_policies', key => 'client_id');

-- How often a credential with a limit has written, in the hour and on the day of its last write where its store is.
create table policy_uses (
  store_id text not null references stores (id) on delete cascade,
  holder   text not null,   -- public id of the key or of the client
  hour     text not null,   -- 2026-11-22T13
  in_hour  int not null,
  day      text not null,
  in_day   int not null,
  primary key (store_id, holder)
) with (fillfactor = 50);
