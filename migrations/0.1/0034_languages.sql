-- Languages: those of a store, and what it has written in each of them.
alter table stores
  add column default_language text,                                  -- null: what most people of its country speak
  add column languages        text[] not null default '{en,es}',     -- in which its pages may be read beside that
  add column translated       text[] not null default '{}';          -- into which something was translated

-- Words of its own that a store has for a kind of mail, by language.
alter table mail_settings add column words jsonb not null default '{}';
update mail_settings set words = jsonb_build_object('en', en, 'es', es);
alter table mail_settings drop column en, drop column es;

-- What a record says in other languages: {"de": {"name": …}}; null where it says nothing.
alter table products   add column translations json;
alter table categories add column translations json;
alter table pages      add column translations json;
alter table stores     add column translations json;

-- All that translations say, the beginning of each text.
create function translated_texts(translations json) returns text
language sql immutable parallel safe cost 2000 as $$
  select string_agg(left(said #>> '{}', 600), ' ')
  from jsonb_path_query(translations::jsonb, 'strict $.**') as said
  where jsonb_typeof(said) = 'string'
$$;
create index products_translated on products using gin (store_words(store_id, translated_texts(translations)))
  with (gin_pending_list_limit = 256) where translations is not null;
