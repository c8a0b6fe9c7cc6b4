-- Prices in the shop with or without tax, whichever way the catalog has them.
alter table stores add column tax_display text not null default 'as_entered'
  check (tax_display in ('as_entered', 'included', 'excluded', 'by_shopper'));
