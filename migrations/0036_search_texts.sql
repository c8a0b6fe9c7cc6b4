-- Texts for search engines; country of origin and Harmonized System code, which customs ask for.

alter table products
  add column seo_title text,
  add column seo_description text,
  add column country_of_origin text,
  add column hs_code text;
alter table variants add column country_of_origin text, add column hs_code text;
alter table categories add column seo_title text, add column seo_description text;
alter table collections add column seo_title text, add column seo_description text;

-- Translations have every text of their record; null: not translated.
update products
set translations = (
  select json_object_agg(language, '{"seo_title": null, "seo_description": null}'::jsonb || texts::jsonb)
  from json_each(translations) as translation (language, texts))
where translations is not null;
update categories
set translations = (
  select json_object_agg(language, '{"seo_title": null, "seo_description": null}'::jsonb || texts::jsonb)
  from json_each(translations) as translation (language, texts))
where translations is not null;
update collections
set translations = (
  select json_object_agg(language, '{"seo_title": null, "seo_description": null}'::jsonb || texts::jsonb)
  from json_each(translations) as translation (language, texts))
where translations is not null;
