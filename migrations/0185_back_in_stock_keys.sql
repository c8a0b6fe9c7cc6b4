-- A request ends with its product or variant.

alter table backinstock_requests add constraint backinstock_requests_product
  foreign key (store_id, product_id) references products (store_id, id) on delete cascade;
alter table backinstock_requests add constraint backinstock_requests_variant
  foreign key (store_id, variant_id) references variants (store_id, id) on delete cascade;
