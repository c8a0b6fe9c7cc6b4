-- Drafts have short numbers of their own: D1, D2 …, per store.
alter table draft_orders add column draft_number text;
alter table store_counters add column draft_number bigint not null default 0;

update draft_orders
set draft_number = 'D' || numbered.number
from (
  select store_id, id, row_number() over (partition by store_id order by created_at, id) as number
  from draft_orders
) as numbered
where numbered.store_id = draft_orders.store_id
  and numbered.id = draft_orders.id;

update store_counters
set draft_number = numbered.last
from (select store_id, count(*) as last from draft_orders group by store_id) as numbered
where numbered.store_id = store_counters.store_id;

alter table draft_orders
  alter column draft_number set not null,
  add constraint draft_orders_number_form check (draft_number ~ '^D[1-9][0-9]{0,14}$');

-- In a trigger, so that the drafts of nodes of the previous version get numbers, too. The counter is locked until the
-- commit: numbers have no gaps and no duplicates.
create function number_draft() returns trigger language plpgsql as $$
begin
  update store_counters
  set draft_number = draft_number + 1
  where store_id = new.store_id
  returning 'D' || draft_number into new.draft_number;
  return new;
end $$;

create trigger number_draft before insert on draft_orders
  for each row when (new.draft_number is null)
  execute function number_draft();
