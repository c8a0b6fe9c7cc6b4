-- Categories below others, on up to five levels. A row knows its ancestors, so that a subtree is found by an index.
alter table categories
  add column parent_id uuid,
  add column ancestor_ids uuid[] not null default '{}',   -- from the top to the parent
  add column parent_path text,                            -- the slugs of the ancestors: clothing/men; null at the top
  add constraint categories_parent foreign key (store_id, parent_id) references categories (store_id, id),
  add constraint categories_levels check (cardinality(ancestor_ids) <= 4),
  add constraint categories_circle check (id <> all (ancestor_ids)),
  add constraint categories_ancestors check (parent_id is not distinct from ancestor_ids[cardinality(ancestor_ids)]);

-- The audit log has the parent. What follows from it is computed again by an undo.
drop function account_categories() cascade;
select account_for('categories', hidden => '{name_key,ancestor_ids,parent_path}');
