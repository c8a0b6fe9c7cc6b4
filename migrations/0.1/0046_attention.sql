-- The mails that reached nobody, for the dashboard's first screen: few of many.
create index mails_failed on mails (store_id, created_at desc, id desc) where status = 'failed';
