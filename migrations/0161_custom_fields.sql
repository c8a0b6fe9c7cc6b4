-- Fields of a store's own: their definitions. Values are with the records.
create table custom_fields (
  store_id          text not null references stores (id) on delete cascade,
  id                uuid not null,
  applies_to        text not null check (applies_to in ('product', 'variant', 'customer', 'order')),
  key               text not null,
  label             text not null,
  description       text,
  type              text not null
    check (type in ('text', 'number', 'date', 'boolean', 'choice', 'url', 'color', 'file', 'product')),
  choices           text[] not null default '{}',
  is_required       boolean not null,
  visibility        text not null check (visibility in ('staff', 'shop')),
  asked_at_checkout boolean not null,                  -- orders only
  position          int not null,
  is_active         boolean not null,
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  primary key (store_id, id),
  constraint custom_fields_key unique (store_id, applies_to, key)
);

select account_for('custom_fields');
select follow('custom_fields', 'settings');
