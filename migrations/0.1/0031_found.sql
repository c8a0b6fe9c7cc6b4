-- How products are found: the slugs that they have given up, which lead to the ones that they have.

create table product_slugs (
  store_id   text not null,
  slug       text not null,
  product_id uuid not null,
  since      timestamptz(3) not null,
  primary key (store_id, slug),
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade
);
create index product_slugs_product on product_slugs (store_id, product_id, since desc);

-- The words of a text in lower case and without accents, each behind the id of its store: an index of them holds those of
-- every store and is read for one alone.
create function store_words(store_id text, words text) returns tsvector
language sql immutable parallel safe cost 2000 as $$
  select array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(
      regexp_replace(regexp_replace(
        lower(regexp_replace(normalize(left(words, 4000), nfkd), '[\u0300-\u036f]+', '', 'g')),
        '[^[:alnum:]]+', ' ', 'g'), '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g')), ''), ' ', ' ' || store_id || ':'), ' '))
$$;
create index products_words on products using gin (store_words(store_id,
  name || ' ' || coalesce(sku, '') || ' ' || coalesce(description, ''))) with (gin_pending_list_limit = 256);
create index variants_words on variants using gin (store_words(store_id, sku))
  with (gin_pending_list_limit = 256) where sku is not null;

create index products_featured on products (store_id, created_at desc, id desc)
  where is_featured and product_status = 'active';
