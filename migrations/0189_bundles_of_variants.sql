-- A variant that is a bundle has parts of its own, as in products.bundle_items. Null: no bundle.
alter table variants add column bundle_items jsonb;

-- In functions, which cost nothing where they are not called: a subselect is prepared for each query anew. Statements of a
-- distributed database have the subselects themselves, because its servers call no function that reads its tables.

-- How many of a bundle the stock of its parts allows; see src/commerce/inventory/availability.ts.
create function bundle_stock(of_store text, items jsonb) returns int
language plpgsql stable strict as $$
begin
  return (
    select min(case
      when products.id is null or products.product_status = 'archived' or products.bundle_items is not null then 0
      when part.variant_id is null and products.variant_count > 0 then 0
      when part.variant_id is null then
        case when products.track_inventory and not products.continue_selling
          then greatest(products.stock_quantity, 0) / part.quantity end
      when variants.id is null or variants.bundle_items is not null then 0
      else
        case when variants.manage_inventory and not variants.continue_selling_when_out_of_stock
          then greatest(variants.stock_quantity, 0) / part.quantity end
      end)
    from jsonb_to_recordset(items) as part (product_id uuid, variant_id uuid, quantity int)
    left join products on products.store_id = of_store
      and products.id = part.product_id
    left join variants on variants.store_id = of_store
      and variants.id = part.variant_id
      and variants.product_id = part.product_id);
end $$;

-- What shoppers see of custom fields; see src/tenancy/stores/customvalues.ts.
create function shown_custom_fields(of_store text, kind text, own jsonb) returns json
language plpgsql stable strict as $$
begin
  return (
    select coalesce(json_agg(json_build_object('key', key, 'label', label, 'type', type, 'value', own -> key)
      order by position, id), '[]')
    from custom_fields
    where custom_fields.store_id = of_store
      and custom_fields.applies_to = kind
      and custom_fields.is_active
      and custom_fields.visibility <> 'staff'
      and own ? custom_fields.key);
end $$;
