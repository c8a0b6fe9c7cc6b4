-- False if none of the parts of a bundle is shipped; see src/commerce/catalog/shipped.ts.
create function ships_parts(of_store text, items jsonb) returns boolean
language plpgsql stable strict as $$
begin
  return (
    select coalesce(bool_or(coalesce(variants.requires_shipping, products.requires_shipping)), true)
    from jsonb_to_recordset(items) as part (product_id uuid, variant_id uuid)
    join products on products.store_id = of_store
      and products.id = part.product_id
    left join variants on variants.store_id = of_store
      and variants.id = part.variant_id
      and variants.product_id = part.product_id);
end $$;
