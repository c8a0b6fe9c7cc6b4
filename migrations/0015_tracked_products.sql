-- Whether stock is tracked for a product, or for any of its variants: lists of the inventory count these products.

alter table products add column is_tracked boolean not null default false;
update products
set is_tracked = case
  when variant_count = 0 then track_inventory
  else exists (
    select from variants
    where variants.store_id = products.store_id
      and variants.product_id = products.id
      and manage_inventory)
  end
where track_inventory or variant_count > 0;

drop index products_name;
create index products_name on products (store_id, product_status, name, id) include (is_tracked);

-- It is derived, so the audit log leaves it out.
do $$
declare
  operation text;
begin
  foreach operation in array '{insert,update,delete}'::text[] loop
    execute format(
      'create or replace trigger account_%s after %s on products for each row
         when (current_setting(''stoa.journal'', true) = ''on'')
         execute function account_products(''id'', %L, ''{}'', false)',
      operation, operation, '{variant_count,is_tracked,store_id,updated_at,search_text}');
  end loop;
end $$;
