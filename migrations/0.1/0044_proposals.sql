-- Writes that were rehearsed and kept, until somebody who may lets them happen.

create table proposals (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  status      text not null default 'open' check (status in ('open', 'approved', 'refused')),
  operation   text not null,
  scope       text not null,         -- that lets propose it
  request     json not null,         -- {method, path, body, if_match}
  answer      json not null,         -- {status, data}, as it was rehearsed
  rehearsal   json not null,         -- whole: of which callers see what their scopes let them
  versions    json not null,         -- [{table, id, fields}]: of the records that it would change, each field's hash
  note        text,
  reason      text,
  result      json,                  -- {status, data}, as it was done
  proposed_by text not null,
  decided_by  text,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  decided_at  timestamptz(3),
  primary key (store_id, id),
  check ((status = 'open') = (decided_at is null))
);
create index proposals_created on proposals (store_id, created_at desc, id desc);
create index proposals_age on proposals (created_at);
