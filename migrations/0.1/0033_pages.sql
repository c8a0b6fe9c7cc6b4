-- Pages of the merchant's own: about the shop, its terms and policies.
create table pages (
  store_id        text not null references stores (id) on delete cascade,
  id              uuid not null,
  kind            text not null default 'page' check (kind in ('page', 'terms', 'privacy', 'returns', 'shipping')),
  title           text not null,
  slug            text not null,
  body            text not null,                      -- Markdown
  is_published    boolean not null default true,
  seo_title       text,
  seo_description text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (store_id, id),
  constraint pages_slug unique (store_id, slug)
);
-- Of each kind of policy a store has one.
create unique index pages_kind on pages (store_id, kind) where kind <> 'page';
