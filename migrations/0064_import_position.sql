-- The next rows of an import are found behind those that are done, so that each batch costs the same.
alter table imports add column position int not null default 0 check (position >= 0);  -- number of a row
