-- The words of a text, as before. PostgreSQL put the subselects of the former function into one expression and folded a
-- text up to nine times.
create or replace function store_words(store_id text, words text) returns tsvector
language plpgsql immutable parallel safe cost 2000 set search_path from current as $$
declare
  folded text;
  split  text;
begin
  if words is null then
    return null;
  end if;
  folded := fold_letters(normalize(lower(regexp_replace(normalize(left(words, 4000), nfkd),
    '[\u0300-\u036f\u0e47-\u0e4e\u064b-\u065f\u0640]+', '', 'g')), nfc));
  split := regexp_replace(regexp_replace(
    folded || case when folded ~ '\w''\w' then ' ' || replace(folded, '''', '') else '' end,
    '[^[:alnum:]\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', ' ', 'g'),
    '([[:alnum:]]{60})(?=[[:alnum:]])', '\1 ', 'g');
  if has_unspaced(split) then
    split := letter_pairs(split);
  end if;
  return array_to_tsvector(string_to_array(
    store_id || ':' || replace(nullif(btrim(split), ''), ' ', ' ' || store_id || ':'), ' '));
end $$;
