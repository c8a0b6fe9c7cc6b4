-- concurrently
-- Imports find products and variants by their barcodes.
create index products_barcode on products (store_id, barcode) where barcode is not null;
create index variants_barcode on variants (store_id, barcode) where barcode is not null;
