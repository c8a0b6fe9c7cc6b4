-- Custom fields that shoppers filter lists of products by.
alter table custom_fields drop constraint custom_fields_visibility_check;
alter table custom_fields add constraint custom_fields_visibility_check
  check (visibility in ('staff', 'shop', 'filter'));
