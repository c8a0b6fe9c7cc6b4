-- Emails about a payment: a refund that failed, a dispute, money that goes back.
alter table mails add column payment_id uuid;
