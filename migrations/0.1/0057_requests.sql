-- Which requests were only rehearsed.
alter table requests add column is_rehearsal boolean not null default false;

-- A caller's own X-Request-Id may come again: then this is the request, whose id the log of requests has too.
alter table audit_log add column request_uuid uuid;
create index audit_log_request_uuid on audit_log (store_id, request_uuid) where request_uuid is not null;
