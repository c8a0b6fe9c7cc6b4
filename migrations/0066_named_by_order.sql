-- True for a customer whose record an order made: anyone can order with another person's email. Their name and phone are
-- shown to the person behind the email once that person has saved them.
alter table customers add column named_by_order boolean not null default false;
