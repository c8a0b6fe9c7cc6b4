-- Pictures of an archive that an import reads: kept until its products have them.
create table import_pictures (
  store_id  text not null,
  import_id uuid not null,
  name      text not null,
  bytes     bytea not null,
  primary key (store_id, import_id, name)
);
