-- The canary and the probes of the database, and when each job ran.

-- One value sealed by the secret key of the first start: a key that does not open it did not seal the stored secrets.
create table canary (
  is_only boolean default true primary key check (is_only),
  sealed  text not null,
  made_at timestamptz not null
);

-- What /readyz writes to know that the disk has room: emptied and written, its file is a new one that has to grow.
create table write_probes (
  page text not null
);

-- When each job was last done, by any node: doctor tells of one that is not done any more.
create table job_runs (
  name    text primary key,
  every_s real not null,
  done_at timestamptz not null
);
