-- Reports credit each discount of an order with its own amount. Stored days of orders with several are worked out anew.
insert into unsummed_days (store_id, day)
select distinct orders.store_id, (orders.created_at at time zone timezone)::date
from orders
join stores on stores.id = orders.store_id
where json_array_length(discounts) > 1
on conflict do nothing;
