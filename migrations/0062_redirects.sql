-- Old addresses of a shop and where they lead, for links of a former system and of pages that are gone.

create table redirects (
  store_id   text not null references stores (id) on delete cascade,
  id         uuid not null,
  path       text not null check (path like '/_%' and octet_length(path) <= 2000),  -- normalized
  target     text not null check (target ~* '^(/|https://)' and target not like '//%'),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index redirects_path on redirects (store_id, path);
create index redirects_created on redirects (store_id, created_at desc, id desc);
select account_for('redirects');

alter table imports
  drop constraint imports_kind_check,
  add constraint imports_kind_check check (kind in ('products', 'customers', 'orders', 'discounts', 'redirects'));
alter table store_counters add column redirects int not null default 0 check (redirects >= 0);
