-- How a shop looks, and how its merchant is reached.
alter table stores
  add column logo              text,
  add column favicon           text,
  add column accent_color      text,
  add column accent_color_dark text,                      -- null: made of the other
  add column font              text not null default 'sans' check (font in ('sans', 'serif', 'rounded')),
  add column corners           text not null default 'rounded' check (corners in ('rounded', 'square', 'round')),
  add column announcement      text,
  add column announcement_link text,
  add column hero_image        text,
  add column hero_title        text,
  add column hero_text         text,
  add column legal_name        text,
  add column contact_email     text,
  add column contact_phone     text,
  add column contact_address   text,
  add column social_links      json not null default '[]',
  add column header_menu       json not null default '[]',
  add column footer_menu       json not null default '[]',
  add column face_version      int not null default 0;    -- moves with all of these and with the pages
