-- Recovery emails are a kind of the one queue. The draft keeps what became of its email, which outlives it.
alter table checkouts
  add column recovery_mail text check (recovery_mail in ('queued', 'sent', 'withheld', 'failed'));

update checkouts
set recovery_mail = case
    when letter_sent_at is not null then 'sent'
    when letter_due_at is not null and status = 'abandoned' and customer_email is not null then 'queued'
    when letter_tries >= 5 then 'failed'
    else 'withheld'
  end
where letter_sent_at is not null
  or letter_due_at is not null
  or letter_tries > 0;

insert into mails (store_id, id, kind, recipient, language, checkout_id, status, next_attempt_at, created_at)
select store_id, gen_random_uuid(), 'abandoned_checkout', customer_email, locale, id, 'queued', letter_due_at,
  letter_due_at
from checkouts
where recovery_mail = 'queued';

drop index checkouts_letters;
drop index checkouts_lettered;
alter table checkouts
  drop column letter_due_at,
  drop column letter_tries;

-- How many recovery emails a store queued of late.
create index mails_kind on mails (store_id, kind, created_at desc);
