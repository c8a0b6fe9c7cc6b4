-- Each statement is planned once for the stores of all sizes. Planned for the average store, a search in a large store
-- among many small ones would read all its rows instead of the index of words. Planned for a large one, small stores
-- lose nothing: what they have is read in one go either way.
do $$
declare
  one text;
  has_rows boolean;
begin
  -- The nodes of a cluster plan for each store by itself.
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  foreach one in array '{products,product_words,variants,orders,order_items,customers}'::text[] loop
    execute format('alter table %I alter column store_id set (n_distinct = 3)', one);
    execute format('select exists (select from %I)', one) into has_rows;
    -- PostgreSQL expects some rows in a table that it knows nothing of, and none in one that it has seen empty.
    if has_rows then
      execute format('analyze %I', one);
    end if;
  end loop;
end $$;
