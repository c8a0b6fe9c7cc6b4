-- The words that shoppers find a product by, in a table of their own. As indexes of products, they were written anew with
-- every change of stock, price or category: a fifth of the CPU and more than half of the WAL of a stock change.

create table product_words (
  store_id   text not null,
  product_id uuid not null,
  words      tsvector not null,
  primary key (store_id, product_id)
);

create function product_words(
  store_id text, name text, sku text, options json, description text, translations json
) returns tsvector language sql immutable parallel safe as $$
  select coalesce(store_words(store_id, concat_ws(' ', name, sku, option_words(options), description)), '')
    || coalesce(store_words(store_id, translated_texts(translations)), '')
$$;

insert into product_words (store_id, product_id, words)
select store_id, id, product_words(store_id, name, sku, options, description, translations)
from products;

create index product_words_words on product_words using gin (words) with (gin_pending_list_limit = 64);

create function keep_product_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into product_words (store_id, product_id, words)
    values (new.store_id, new.id,
      product_words(new.store_id, new.name, new.sku, new.options, new.description, new.translations));
  elsif tg_op = 'UPDATE' then
    update product_words
    set words = product_words(new.store_id, new.name, new.sku, new.options, new.description, new.translations)
    where store_id = new.store_id
      and product_id = new.id;
  else
    delete from product_words
    where store_id = old.store_id
      and product_id = old.id;
  end if;
  return null;
end $$;

create trigger keep_words_of_row after insert or delete on products
for each row execute function keep_product_words();

create trigger keep_words after update of name, sku, options, description, translations on products
for each row when (
  (old.name, old.sku, old.description, old.options::text, old.translations::text)
    is distinct from (new.name, new.sku, new.description, new.options::text, new.translations::text))
execute function keep_product_words();

-- Tells that reads of the table depend on the catalog. Inserts and deletes move its version with the product's row.
create trigger follow_catalog after update on product_words
for each row execute function follow_version('catalog', '');

drop index products_words;
drop index products_translated;
