-- What of an imported file is left out, such as the other sheets of a workbook.
alter table imports add column notes json not null default '[]';
