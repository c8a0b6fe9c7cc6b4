-- Several taxes of one place, each with its name, rate and number, and the number under which a store collects there.

alter table tax_zones
  add column components json not null default '[]',         -- none: one tax with the name and the rate of the zone
  add column tax_id     text;                              -- null: that of the store
