-- Labels of products, which lists are narrowed by.

alter table products add column tags text[] not null default '{}';

-- Tags as the index has them: each with its store, so that a store finds its own alone. Case does not matter.
create function store_tags(store_id text, tags text[]) returns text[]
language sql immutable strict parallel safe as $$
  select array_agg(store_id || ':' || lower(tag)) from unnest(tags) as tag
$$;

create index products_tags on products using gin (store_tags(store_id, tags))
  with (gin_pending_list_limit = 64) where tags <> '{}';
