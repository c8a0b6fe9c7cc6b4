-- Members choose what they are emailed about: mentions at once, the rest in summaries.
alter table notification_settings
  add column mailed_kinds text[],                -- null: mentions
  add column mailed_until timestamptz(3),        -- the last summary, or when summaries were chosen
  add column mail_due_at  timestamptz(3);        -- null: no summaries

create index notification_settings_due on notification_settings (mail_due_at) where mail_due_at is not null;
