-- The address of the invoice; null: that of the delivery.
alter table checkouts add column billing_address json;
alter table draft_orders add column billing_address json;
alter table orders add column billing_address json;

-- The audit log keeps personal data apart.
drop trigger account_insert on draft_orders;
drop trigger account_update on draft_orders;
drop trigger account_delete on draft_orders;
drop function account_draft_orders();
select account_for('draft_orders', private =>
  '{customer_name,customer_phone,customer_email,tax_id,shipping_address,billing_address,customer_notes,internal_notes}');

drop trigger account_insert on orders;
drop trigger account_update on orders;
drop trigger account_delete on orders;
drop function account_orders();
select account_for('orders', hidden => '{phone_digits,city,province,country}', private =>
  '{customer_name,customer_phone,customer_email,customer_notes,internal_notes,shipping_address,billing_address,tax_id,custom_fields}');

-- The one of a customer's addresses that is marked.
create function default_billing_address(addresses json) returns json
language plpgsql immutable strict parallel safe as $$
begin
  return (
    select one
    from json_array_elements(addresses) as one
    where one ->> 'is_default_billing' = 'true'
    limit 1);
end $$;
