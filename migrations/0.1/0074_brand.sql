-- Who makes a product: search engines and Google Merchant Center ask for it.
alter table products add column brand text;
