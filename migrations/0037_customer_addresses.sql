-- Addresses of a customer, kept with their record.

alter table customers add column addresses json not null default '[]';

drop function account_customers() cascade;
select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id,tags,addresses}', keeps => true);
