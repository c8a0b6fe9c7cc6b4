-- From which time on a store has events, deliveries and attempts, and entries of the audit log: the jobs that delete old
-- ones visit a store when its oldest may be due, instead of visiting all. An id has the time. The real oldest is never
-- before it, so writers need not know of it.
alter table event_logs add column oldest uuid not null default '00000000-0000-0000-0000-000000000000';
create index event_logs_oldest on event_logs (oldest);

alter table audit_chains add column oldest uuid not null default '00000000-0000-0000-0000-000000000000';
create index audit_chains_oldest on audit_chains (oldest);
