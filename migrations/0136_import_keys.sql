alter table import_pictures
  add foreign key (store_id, import_id) references imports (store_id, id) on delete cascade;

-- By what an import finds the records that exist, and the other systems that its file could be of.
alter table imports
  add column match_by text not null default 'auto'
    check (match_by in ('auto', 'id', 'sku', 'barcode', 'slug', 'email', 'phone')),
  add column other_sources json not null default '[]';

-- Codes of other systems have spaces and signs.
alter table discounts
  drop constraint discounts_code_check,
  add constraint discounts_code_check check (code ~ '^[!-`{-~]([ -`{-~]{0,253}[!-`{-~])?$');
