-- Barcodes, and weights in grams.

alter table products add column barcode text, add column weight int check (weight >= 0);
alter table variants add column barcode text, add column weight int check (weight >= 0);
