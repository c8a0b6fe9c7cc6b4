-- The tax in what goes back, for credit notes and tax returns; null in a refund that is older.

alter table refunds
  add column tax_amount          numeric check (tax_amount >= 0),
  add column shipping_tax_amount numeric check (shipping_tax_amount >= 0),
  add column tax_lines           json;

alter table refund_items
  add column tax_amount numeric check (tax_amount >= 0),
  add column tax_lines  json;
