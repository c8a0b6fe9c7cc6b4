-- True once the event of a delivery was masked, as its person was erased: what a receiver still answers to what it was
-- sent before may repeat it, and is not stored.
alter table deliveries add column is_masked boolean not null default false;
