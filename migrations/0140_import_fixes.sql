-- What a person says of all rows of one cause, and of columns: replacements, and records that are left out.
alter table imports add column fixes json not null default '[]';
