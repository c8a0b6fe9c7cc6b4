-- Saved views of the dashboard.

create table saved_views (
  store_id   text not null,
  id         uuid not null,
  user_id    uuid not null,
  list       text not null,                    -- the screen
  name       text not null,
  query      text not null,
  is_default boolean not null,                 -- applied when the list opens without a query
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, user_id) references members (store_id, user_id) on delete cascade
);
create unique index saved_views_name on saved_views (store_id, user_id, list, lower(name));
