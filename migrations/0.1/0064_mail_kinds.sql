-- One queue for every kind of email. What tells of an account belongs to no store: its store_id is ''.
alter table mails add column account json;   -- what an account email says beside its usual words

-- suppressed: over a limit, or nobody needs it any more. It was never given to a mail server.
alter table mails drop constraint mails_status_check;
alter table mails add constraint mails_status_check
  check (status in ('queued', 'sent', 'failed', 'refused', 'suppressed'));

-- How many went to an address of late is counted before each is queued, and how many a store sent before each is sent.
drop index mails_recipient;
create index mails_recipient on mails (store_id, lower(recipient), created_at desc) where recipient is not null;
create index mails_sent on mails (store_id, sent_at) where sent_at is not null;

-- A request of one store may queue an account email, such as an invitation, and read none.
drop policy if exists own_store on mails;
alter table mails enable row level security;
create policy own_store on mails
  using (store_id = current_setting('stoa.store_id', true) or current_setting('stoa.store_id', true) = '*')
  with check (store_id in (current_setting('stoa.store_id', true), '') or current_setting('stoa.store_id', true) = '*');
