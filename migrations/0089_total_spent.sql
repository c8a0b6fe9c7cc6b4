-- total_spent is what was paid for a customer's orders less what was refunded; it was the total of orders that are paid.
update customers
set total_spent = orders_of.spent
from (
  select store_id, customer_id, sum(captured_amount - refunded_amount) as spent
  from orders
  where customer_id is not null
  group by store_id, customer_id
) as orders_of
where customers.store_id = orders_of.store_id
  and customers.id = orders_of.customer_id
  and customers.total_spent <> orders_of.spent;
