-- Orders of the past keep their numbers, so a store that has imported some has gaps between its numbers.
alter table store_counters add column order_numbers_have_gaps boolean not null default false;
