-- What is kept of each picture: the file that was uploaded, and once they are made its sizes instead. The sum of a store
-- is limited. Of pictures that are there already the size of the upload stands for it.
alter table media add column stored_bytes int not null default 0;
update media set stored_bytes = bytes where status <> 'failed';
