-- Imports find records by the IDs that another system has for them, too.
alter table imports
  drop constraint imports_match_by_check,
  add constraint imports_match_by_check
    check (match_by in ('auto', 'id', 'external_id', 'sku', 'barcode', 'slug', 'email', 'phone'));
