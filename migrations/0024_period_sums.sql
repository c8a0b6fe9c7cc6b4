-- Sales by month and year, for long periods, and taxes by day. A month and a year hold the sums of their stored days:
-- whoever changes a day changes them in the same transaction.

create table sales_by_period (
  store_id  text not null references stores (id) on delete cascade,
  kind      text not null,                     -- as in sales_by_day
  unit      text not null check (unit in ('month', 'year')),
  begins    date not null,                     -- its first day
  key       text not null,
  label     text,
  orders    int not null,
  pieces    int not null,
  discounts numeric not null,
  refunds   numeric not null,
  sales     numeric not null,
  primary key (store_id, kind, unit, begins, key)
);

insert into sales_by_period (store_id, kind, unit, begins, key, label, orders, pieces, discounts, refunds, sales)
select store_id, kind, unit, date_trunc(unit, day::timestamp)::date, key, max(label), sum(orders), sum(pieces),
  sum(discounts), sum(refunds), sum(sales)
from sales_by_day
cross join (values ('month'), ('year')) as units (unit)
group by store_id, kind, unit, 4, key;

-- A tax counts on the day of the sale, its refund on the day of the refund. Orders count that are neither cancelled
-- nor returned, or were paid.
create table tax_by_day (
  store_id         text not null references stores (id) on delete cascade,
  day              date not null,
  country_code     text not null,              -- '' if there is none
  province_code    text not null,              -- ISO 3166-2; '' if there is none
  name             text not null,
  rate             numeric not null,           -- in percent; 0 of a tax that was given as an amount
  reason           text not null,
  orders           int not null,
  taxable          numeric not null,
  tax              numeric not null,
  refunded_taxable numeric not null,
  refunded_tax     numeric not null,
  primary key (store_id, day, country_code, province_code, name, rate, reason)
);

create index refunds_succeeded on refunds (store_id, succeeded_at) where succeeded_at is not null;
-- The orders with a product.
create index order_items_product on order_items (store_id, product_id, order_id) where product_id is not null;

insert into tax_by_day (store_id, day, country_code, province_code, name, rate, reason, orders, taxable, tax,
  refunded_taxable, refunded_tax)
select store_id, (moment at time zone timezone)::date, lines.country_code, province_code, lines.name, rate, reason,
  count(distinct sold), sum(taxable), sum(tax), sum(refunded_taxable), sum(refunded_tax)
from (
  select orders.store_id, orders.created_at as moment, orders.id as sold,
    coalesce(line.country_code, orders.country_code, '') as country_code,
    coalesce(orders.shipping_address ->> 'province_code', '') as province_code, coalesce(line.name, '') as name,
    coalesce(line.rate, 0) as rate, line.reason, line.base as taxable, line.amount as tax, 0 as refunded_taxable,
    0 as refunded_tax
  from orders
  cross join lateral json_to_recordset(orders.tax_lines)
    as line (country_code text, name text, rate numeric, reason text, base numeric, amount numeric)
  where orders.status not in ('cancelled', 'returned') or orders.captured_amount > 0
  union all
  select refunds.store_id, refunds.succeeded_at, null, coalesce(line.country_code, orders.country_code, ''),
    coalesce(orders.shipping_address ->> 'province_code', ''), coalesce(line.name, ''), coalesce(line.rate, 0),
    line.reason, 0, 0, line.base, line.amount
  from refunds
  join orders on orders.store_id = refunds.store_id and orders.id = refunds.order_id
  cross join lateral json_to_recordset(refunds.tax_lines)
    as line (country_code text, name text, rate numeric, reason text, base numeric, amount numeric)
  where refunds.succeeded_at is not null
) as lines
join stores on stores.id = lines.store_id
where (moment at time zone timezone)::date in (select day from sales_days where sales_days.store_id = lines.store_id)
group by store_id, 2, lines.country_code, province_code, lines.name, rate, reason;

-- Refunds of days without an order have no stored day yet.
insert into unsummed_days (store_id, day)
select distinct store_id, (succeeded_at at time zone timezone)::date
from refunds
join stores on stores.id = store_id
where succeeded_at is not null
  and (succeeded_at at time zone timezone)::date not in (
    select day from sales_days where sales_days.store_id = refunds.store_id)
on conflict do nothing;

create function note_refund() returns trigger language plpgsql as $$
begin
  insert into unsummed (store_id, kind, quarter)
  select coalesce(new.store_id, old.store_id), 'orders', date_bin('15 minutes', moment, 'epoch')
  from unnest(array[old.succeeded_at, new.succeeded_at]) as moment
  where moment is not null;
  return null;
end $$;

create trigger unsummed_insert after insert on refunds
  for each row when (new.succeeded_at is not null)
  execute function note_refund();
create trigger unsummed_update after update on refunds
  for each row when (old.succeeded_at is distinct from new.succeeded_at)
  execute function note_refund();
create trigger unsummed_delete after delete on refunds
  for each row when (old.succeeded_at is not null)
  execute function note_refund();

-- Taxes are by province, too.
create trigger unsummed_province after update of shipping_address on orders
  for each row when (
    old.shipping_address ->> 'province_code' is distinct from new.shipping_address ->> 'province_code')
  execute function note_unsummed('orders');

-- A new time zone moves the days: they are recomputed.
create or replace function forget_days() returns trigger language plpgsql as $$
begin
  delete from sales_days where store_id = new.id;
  delete from sales_by_day where store_id = new.id;
  delete from sales_by_period where store_id = new.id;
  delete from tax_by_day where store_id = new.id;
  insert into unsummed_days (store_id, day)
  select distinct new.id, (quarter at time zone new.timezone)::date
  from sales_sums
  where store_id = new.id
  on conflict do nothing;
  return null;
end $$;
