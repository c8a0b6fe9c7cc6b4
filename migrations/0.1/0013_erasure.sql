-- Events that name a person, found by what they are about when the person is erased; and the checkouts of somebody who
-- left a phone only.
create index events_personal on events (store_id, event_id)
  where event in ('order.created', 'customer.created', 'customer.updated', 'checkout.completed', 'checkout.abandoned');
create index checkouts_phone on checkouts (store_id, customer_phone)
  where customer_email is null and customer_phone is not null;
