-- The canary and the probes of the database, and when each job ran.

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
