-- Stands in for Citus, which no registry has: functions and catalogs of its names, in a schema of their own. They record
-- what is asked, and refuse what Citus 14 refuses, in its words (src/backend/distributed/commands of its source).
create schema citus;

create table citus.calls (position bigint generated always as identity, call text not null);

-- Makes the call of this number wait, so that the process can be killed meanwhile.
create table citus.pause (call text not null);

create table citus.pg_dist_partition (
  logicalrelid regclass primary key, partmethod "char" not null, partkey text, colocationid int not null,
  repmodel "char" not null);
create table citus.pg_dist_node (
  nodeid int primary key, groupid int not null, nodename text not null, nodeport int not null default 5432,
  isactive boolean not null default true, noderole text not null default 'primary',
  shouldhaveshards boolean not null default true, is_down boolean not null default false,
  unsafe_triggers text not null default 'on');
insert into citus.pg_dist_node (nodeid, groupid, nodename, shouldhaveshards)
values (1, 0, 'coordinator', false), (2, 1, 'one', true), (3, 2, 'two', true);
create table citus.pg_dist_local_group (groupid int primary key);
insert into citus.pg_dist_local_group values (0);
create table citus.pg_dist_object (classid oid, objid oid);
create table citus.installed (version text not null);
insert into citus.installed values ('14.0.1');

create function citus.citus_version() returns text language sql as $$
  select 'Citus ' || version || ' on x86_64-pc-linux-gnu, compiled by gcc' from citus.installed
$$;

create function citus.column_to_column_name(relation regclass, key text) returns text language sql as 'select key';

create function citus.citus_check_cluster_node_health(
  out from_nodename text, out from_nodeport int, out to_nodename text, out to_nodeport int, out result boolean
) returns setof record language sql as $$
  select here.nodename, here.nodeport, there.nodename, there.nodeport, case when not here.is_down then not there.is_down end
  from citus.pg_dist_node as here
  cross join citus.pg_dist_node as there
$$;

create function citus.citus_check_connection_to_node(name text, port int) returns boolean language sql as $$
  select not is_down from citus.pg_dist_node where nodename = name and nodeport = port
$$;

-- Two shards, one on each node.
create table citus.pg_dist_placement (shardid bigint not null, groupid int not null);
insert into citus.pg_dist_placement values (102000, 1), (102001, 2);

create function citus.get_shard_id_for_distribution_column(relation regclass, value text) returns bigint
language sql as 'select 102000 + abs(hashtext(value)) % 2';

create function citus.run_command_on_all_nodes(command text, out nodeid int, out success boolean, out result text)
returns setof record language plpgsql as $$
begin
  if exists (select from citus.pg_dist_node where is_down) then
    raise exception 'connection to the remote node failed' using errcode = '08006';
  end if;
  return query select node.nodeid, true, case when command = 'show citus.enable_unsafe_triggers' then unsafe_triggers end
    from citus.pg_dist_node as node;
end $$;

-- What every call begins with.
create function citus.note(call text) returns void language plpgsql as $$
begin
  insert into citus.calls (call) values (note.call);
  if exists (select from citus.pause where pause.call = note.call) then perform pg_advisory_xact_lock(20260101); end if;
  if exists (select from citus.pg_dist_node where is_down) then
    raise exception 'connection to the remote node failed' using errcode = '08006';
  end if;
end $$;

create function citus.has_rows(relation regclass) returns boolean language plpgsql as $$
declare
  found boolean;
begin
  execute format('select exists (select from %s)', relation) into found;
  return found;
end $$;

create function citus.require_movable(relation regclass) returns void language plpgsql as $$
declare
  wrong record;
begin
  if current_setting('citus.multi_shard_modify_mode', true) is distinct from 'sequential' then
    raise exception 'cannot execute command because there was a parallel operation on a distributed table in the transaction';
  end if;
  if exists (select from citus.pg_dist_partition where logicalrelid = relation and partmethod = 'h' or
    logicalrelid = relation and repmodel = 't') then
    raise exception 'table "%" is already distributed', relation;
  end if;
  for wrong in
    select tgname from pg_trigger where tgrelid = relation and not tgisinternal and tgparentid = 0
  loop
    if exists (select from citus.pg_dist_node where unsafe_triggers <> 'on') then
      raise exception 'cannot distribute relation "%" because it has triggers', relation;
    end if;
    -- Those of a shard fire for the rows that are copied to it, and find no table by their names.
    if citus.has_rows(relation) then raise exception 'trigger % fires while rows are copied', wrong.tgname; end if;
  end loop;
end $$;

create function citus.create_reference_table(relation regclass) returns void language plpgsql as $$
declare
  wrong record;
begin
  perform citus.note('reference ' || relation);
  perform citus.require_movable(relation);
  for wrong in
    select confrelid::regclass as target from pg_constraint
    where conrelid = relation and contype = 'f' and confrelid <> relation
      and confrelid not in (select logicalrelid from citus.pg_dist_partition where repmodel = 't')
  loop
    raise exception 'referenced table "%" must be a distributed table or a reference table', wrong.target;
  end loop;
  delete from citus.pg_dist_partition where logicalrelid = relation;
  insert into citus.pg_dist_partition values (relation, 'n', null, 1, 't');
  -- Local tables that refer to it become known to all nodes.
  insert into citus.pg_dist_partition
  select distinct conrelid, 'n'::"char", null, 0, 's'::"char" from pg_constraint
  where confrelid = relation and contype = 'f' and conrelid not in (select logicalrelid from citus.pg_dist_partition);
end $$;

create function citus.create_distributed_table(
  relation regclass, key text, colocate_with text default 'default'
) returns void language plpgsql as $$
declare
  wrong record;
  other regclass := case when colocate_with <> 'default' then colocate_with::regclass end;
begin
  perform citus.note('distribute ' || relation || ' by ' || key || ' with ' || colocate_with);
  perform citus.require_movable(relation);
  if other is not null and not exists (
    select from citus.pg_dist_partition where logicalrelid = other and partmethod = 'h') then
    raise exception 'relation % is not distributed', other;
  end if;
  for wrong in
    select indexrelid::regclass as name from pg_index
    where indrelid = relation and indisunique and not exists (
      select from pg_attribute where attrelid = relation and attname = key and attnum = any(indkey::int2[]))
  loop
    raise exception 'cannot create constraint on "%" because it does not contain the partition column', relation;
  end loop;
  delete from citus.pg_dist_partition where logicalrelid = relation;
  insert into citus.pg_dist_partition values (relation, 'h', key, 2, 's');
  perform citus.require_keys();
end $$;

-- Of all tables that Citus knows.
create function citus.require_keys() returns void language plpgsql as $$
declare
  wrong record;
begin
  for wrong in
    select conrelid::regclass as source, confrelid::regclass as target, confdeltype,
      own.partmethod as source_kind, other.partmethod as target_kind, other.repmodel
    from pg_constraint
    left join citus.pg_dist_partition as own on own.logicalrelid = conrelid
    left join citus.pg_dist_partition as other on other.logicalrelid = confrelid
    where contype = 'f' and conparentid = 0
  loop
    if wrong.source_kind = 'h' and wrong.target_kind is distinct from 'h' and wrong.repmodel is distinct from 't' then
      raise exception 'referenced table "%" must be a distributed table or a reference table', wrong.target;
    end if;
    if wrong.target_kind = 'h' and wrong.source_kind is distinct from 'h' then
      raise exception 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported';
    end if;
    if wrong.source_kind = 'h' and wrong.confdeltype in ('n', 'd') then
      raise exception 'cannot create foreign key constraint'
      using detail = 'SET NULL or SET DEFAULT is not supported in ON DELETE operation when distribution key is included in the foreign key constraint';
    end if;
  end loop;
end $$;

create function citus.citus_add_local_table_to_metadata(relation regclass) returns void language plpgsql as $$
begin
  perform citus.note('local ' || relation);
  if not exists (select from citus.pg_dist_node where groupid = 0) then
    raise exception 'could not find the coordinator node in metadata as it is not added as a worker';
  end if;
  insert into citus.pg_dist_partition values (relation, 'n', null, 0, 's');
end $$;

create function citus.undistribute_table(relation regclass) returns void language plpgsql as $$
begin
  perform citus.note('undistribute ' || relation);
  if exists (select from pg_constraint where contype = 'f' and relation in (conrelid, confrelid)) then
    raise exception 'cannot undistribute table because it has a foreign key constraint';
  end if;
  delete from citus.pg_dist_partition where logicalrelid = relation;
end $$;

create function citus.create_distributed_function(called regprocedure) returns void language plpgsql as $$
begin
  perform citus.note('function ' || called);
  insert into citus.pg_dist_object values ('pg_proc'::regclass, called);
end $$;

create function citus.watch() returns event_trigger language plpgsql as $$
declare
  command record;
begin
  perform citus.require_keys();
  for command in select * from pg_event_trigger_ddl_commands() where object_type = 'trigger' loop
    if exists (select from citus.pg_dist_node where unsafe_triggers <> 'on') and exists (
      select from citus.pg_dist_partition
      join pg_trigger on pg_trigger.oid = command.objid and tgrelid = logicalrelid
      where partmethod = 'h' or repmodel = 't') then
      raise exception 'triggers are not supported on distributed tables';
    end if;
  end loop;
end $$;
create event trigger watch on ddl_command_end when tag in ('CREATE TABLE', 'ALTER TABLE', 'CREATE TRIGGER')
execute function citus.watch();

do $$ begin execute format('alter database %I set search_path = "$user", public, citus', current_database()); end $$;
