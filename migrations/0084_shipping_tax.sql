-- How shipping is taxed in a zone. Zones from before keep what they had: null, the standard rate where it is taxed.
alter table tax_zones
  add column shipping_tax text check (shipping_tax in ('standard', 'proportional', 'none'));
