-- What a visitor of a shop writes to its merchant: it goes with the mail that carries it.

alter table mails add column enquiry json;   -- {name, email, message}; null once the person is erased
create index mails_enquiry on mails (store_id, lower(enquiry->>'email')) where enquiry is not null;
