-- What /readyz writes to know that the disk has room: emptied and written, its file is a new one that has to grow.
create table write_probes (
  page text not null
);
alter table write_probes alter column page set storage plain;
