-- What staff write about an order, for each other.

create table order_comments (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  order_id    uuid not null,
  body        text not null,
  author_kind text not null,
  author_id   text not null,                   -- a public ID, or a name
  mentions    uuid[] not null default '{}',    -- users
  created_at  timestamptz(3) not null,
  edited_at   timestamptz(3),
  updated_at  timestamptz(3) not null,
  primary key (store_id, id)
);

create index order_comments_order on order_comments (store_id, order_id, created_at, id);

-- A comment may tell of the customer, so the audit log keeps it where it can be erased.
select account_for('order_comments', private => '{body}', keeps => true);
