-- A search of the shop finds a word of the name beside a value of an option: "silla verde".
create function option_words(options json) returns text
language sql immutable parallel safe cost 1000 as $$
  select string_agg(word, ' ')
  from json_array_elements(options) as option (said),
    json_array_elements_text(option.said -> 'values') as chosen (word)
$$;

-- What stands first counts first: the words of a text are read to its 4,000th character.
drop index products_words;
create index products_words on products using gin (store_words(store_id,
  name || ' ' || coalesce(sku, '') || ' ' || coalesce(option_words(options), '') || ' ' || coalesce(description, '')))
  with (gin_pending_list_limit = 64);
