-- What callers of the API have asked and were answered, in one partition a day: the writer and a job make them
-- (src/requests/days.ts), and a day that is over goes whole. The time is in the id. No foreign key to stores: its
-- check would cost more than the row.
create table requests (
  store_id     text not null,
  id           uuid not null,
  request_id   text not null,            -- X-Request-Id
  method       text not null,
  route        text not null,            -- the pattern of its path
  path         text not null,
  query        text,
  credential   text,                     -- public id of the key or of the client; null: a shopper
  status       smallint not null,
  code         text,                     -- of a refusal
  error        json,                     -- the whole refusal
  duration_ms  numeric(9, 1) not null,
  bytes_in     int not null,
  bytes_out    int not null,
  request_body json,                     -- of writes, masked
  answer_body  json,
  created_at   timestamptz(3) not null,
  primary key (store_id, id)
) partition by range (id);
create index requests_request_id on requests (store_id, request_id);
create index requests_refused on requests (store_id, id) where status >= 400;
