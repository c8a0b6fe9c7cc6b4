-- Trigrams find a rare word, a SKU or nothing at all in a store of many products without reading the texts of all. In a
-- small store reading them is faster.

do $$
begin
  if (select count(*) from pg_available_extensions where name in ('btree_gin', 'pg_trgm')) < 2 then
    raise exception 'PostgreSQL lacks the extensions btree_gin and pg_trgm'
      using hint = 'They are in the package postgresql-contrib of most distributions.';
  end if;
end $$;
create extension if not exists btree_gin;
create extension if not exists pg_trgm;

create index products_trigrams on products using gin (store_id, search_text gin_trgm_ops);
create index variants_trigrams on variants using gin (store_id, search_text gin_trgm_ops) where search_text <> '';
