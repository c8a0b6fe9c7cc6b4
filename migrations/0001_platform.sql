-- The canary and the probes of the database, and when each job ran.

do $$
begin
  if (select count(*) from pg_available_extensions where name in ('btree_gin', 'pg_trgm')) < 2 then
    raise exception 'PostgreSQL lacks the extensions btree_gin and pg_trgm'
      using hint = 'They are in the package postgresql-contrib of most distributions.';
  end if;
end $$;

create extension if not exists btree_gin;

create extension if not exists pg_trgm;

-- One value sealed by the secret key of the first start. A key that cannot open it cannot open the other secrets.
create table canary (
  is_only boolean default true primary key check (is_only),
  sealed  text not null,
  made_at timestamptz not null
);

-- /readyz truncates and fills this table. Its file has to grow each time, which fails when the disk is full.
create table write_probes (
  page text not null
);

-- When each job last ran, on any node. `doctor` reports jobs that no longer run.
create table job_runs (
  name    text primary key,
  every_s real not null,
  done_at timestamptz not null
);
