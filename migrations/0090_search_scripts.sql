-- Searches fold what people write in several ways, and find words inside names of scripts that put no spaces between them.

-- The folding of src/kit/values/slug.ts for a text that is lower-case and decomposed.
create function fold_letters(folded text) returns text
language sql immutable parallel safe as $$
  select regexp_replace(
    translate(replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'łđøıðħŧς’‘ʼ`´＇', 'ldoidhtσ'''''''''''''),
    '([\u3005-\u30ff\u3400-\u9fff]) (?=[\u3005-\u30ff\u3400-\u9fff])', '\1', 'g')
$$;

-- Letters of scripts without spaces, and of Korean, whose words are compounds.
create function has_unspaced(words text) returns boolean
language sql immutable parallel safe as $$
  select words ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]'
$$;

-- Each run of such letters as pairs, so that a word is found wherever it stands: りんご is りん, んご and ご.
create function letter_pairs(words text) returns text
language sql immutable parallel safe as $$
  select string_agg(
    case when has_unspaced(run) then (
        select string_agg(substr(run, place, 2), ' ' order by place) from generate_series(1, length(run)) as place)
      else run end, ' ' order by number)
  from string_to_table(regexp_replace(words,
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]+)', ' \1 ', 'g'),
    ' ') with ordinality as runs (run, number)
  where run <> ''
$$;

-- The words of a text, lower-case and folded, each prefixed with the store's id: one index holds all stores' words, and a
-- search reads only those of one store. A word with an apostrophe is also one without: Levi's is levi, s and levis.
drop index variants_words;
create or replace function store_words(store_id text, words text) returns tsvector
language sql immutable parallel safe cost 2000 set search_path from current as $$
  select array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(
      case when has_unspaced(split) then letter_pairs(split) else split end), ''), ' ', ' ' || store_id || ':'), ' '))
  from (
    select regexp_replace(regexp_replace(
      folded || case when folded ~ '\w''\w' then ' ' || replace(folded, '''', '') else '' end,
      '[^[:alnum:]\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', ' ', 'g'),
      '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g') as split
    from (
      select fold_letters(normalize(lower(regexp_replace(normalize(left(words, 4000), nfkd),
        '[\u0300-\u036f\u0e47-\u0e4e\u064b-\u065f\u0640]+', '', 'g')), nfc)) as folded) as texts) as texts
$$;
create index variants_words on variants using gin (store_words(store_id, sku))
  with (gin_pending_list_limit = 64) where sku is not null;

update product_words
set words = product_words(products.store_id, products.name, products.sku, products.options, products.description,
  products.translations)
from products
where products.store_id = product_words.store_id
  and products.id = product_words.product_id
  and concat(products.name, products.sku, products.options, products.description, products.translations)
    ~ '[^\u0001-\u007f]|\w''\w';

update products set search_text = fold_letters(search_text) where search_text ~ '[^\u0001-\u007f]';
update variants set search_text = fold_letters(search_text) where search_text ~ '[^\u0001-\u007f]';
update customers set search_text = fold_letters(search_text) where search_text ~ '[^\u0001-\u007f]';
update draft_orders set search_text = fold_letters(search_text) where search_text ~ '[^\u0001-\u007f]';
update orders set search_text = left(fold_letters(search_text), 200) where search_text ~ '[^\u0001-\u007f]';
