-- Where an order and a checkout come from: the online store, the API, the dashboard, or an agent, by its name. Null for
-- those of before, and for imported orders whose file does not say.

alter table orders
  add column channel text check (channel in ('shop', 'api', 'dashboard', 'agent')),
  add column agent text check (length(agent) between 1 and 200),
  add constraint orders_agent check (agent is null or channel = 'agent');
alter table checkouts
  add column channel text check (channel in ('shop', 'api', 'dashboard', 'agent')),
  add column agent text check (length(agent) between 1 and 200),
  add constraint checkouts_agent check (agent is null or channel = 'agent');

drop index orders_created;
create index orders_created on orders (store_id, created_at desc, id desc)
  include (status, payment_status, total, country_code, city, province, country,
    order_number, search_text, phone_digits, fulfillment_status, customer_name, is_archived, channel, agent);

-- Of earlier days it is not known: each has the sums of all its orders under an empty key.
alter table sales_by_day drop constraint sales_by_day_kind_check,
  add constraint sales_by_day_kind_check check (kind in
    ('product', 'discount', 'country', 'payment_method', 'channel'));
insert into sales_by_day (store_id, kind, day, key, orders, pieces, discounts, refunds, sales)
select store_id, 'channel', day, '', sum(orders), sum(pieces), sum(discounts), sum(refunds), sum(sales)
from sales_by_day
where kind = 'country'
group by store_id, day;
insert into sales_by_period (store_id, kind, unit, begins, key, orders, pieces, discounts, refunds, sales)
select store_id, 'channel', unit, begins, '', sum(orders), sum(pieces), sum(discounts), sum(refunds), sum(sales)
from sales_by_period
where kind = 'country'
group by store_id, unit, begins;

-- The agent that made a request; null for requests of others.
alter table requests add column agent text;
