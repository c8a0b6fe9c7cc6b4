-- Labels of customers, which lists are narrowed by.

alter table customers add column tags text[] not null default '{}';

create index customers_tags on customers using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';

-- A label may tell of the person, so the audit log keeps it apart like the name.
drop function account_customers() cascade;
select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id,tags}', keeps => true);
