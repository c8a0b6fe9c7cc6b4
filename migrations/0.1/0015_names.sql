-- Names of categories that look the same are one. The key is the program's (kit/values/names.ts); of rows that are there
-- already PostgreSQL makes it as well as it can.
alter table categories add column name_key text;

with folded as (
  select store_id, id, left(lower(btrim(regexp_replace(normalize(regexp_replace(name,
    '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164'
      || '\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
    '', 'g'), nfkc), '\s+', ' ', 'g'))), 400) as name_key
  from categories
), numbered as (
  select *, row_number() over (partition by store_id, name_key order by id) as number
  from folded
)
update categories
-- Twins stay, each with a key of its own, until somebody renames one.
set name_key = numbered.name_key || case when number = 1 then '' else ' ' || categories.id end
from numbered
where categories.store_id = numbered.store_id
  and categories.id = numbered.id;

alter table categories alter column name_key set not null;
drop index categories_name;
create unique index categories_name on categories (store_id, name_key);
