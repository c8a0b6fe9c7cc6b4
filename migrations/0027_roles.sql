-- Roles that a store defines beside owner, admin and staff. `scopes` includes all that they imply.
create table roles (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  name        text not null,
  description text,
  scopes      text[] not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (store_id, id)
);
create unique index roles_name on roles (store_id, lower(name));
select account_for('roles');

alter table members
  add column role_id uuid,
  drop constraint members_role_check,
  add constraint members_role_check check (role in ('owner', 'admin', 'staff', 'custom')),
  add constraint members_role_id_check check ((role = 'custom') = (role_id is not null)),
  add constraint members_role foreign key (store_id, role_id) references roles (store_id, id);
create index members_role on members (store_id, role_id) where role_id is not null;

alter table invitations
  add column role_id uuid,
  drop constraint invitations_role_check,
  add constraint invitations_role_check check (role in ('owner', 'admin', 'staff', 'custom')),
  add constraint invitations_role_id_check check ((role = 'custom') = (role_id is not null)),
  add constraint invitations_role foreign key (store_id, role_id) references roles (store_id, id);
create index invitations_role on invitations (store_id, role_id) where role_id is not null;
