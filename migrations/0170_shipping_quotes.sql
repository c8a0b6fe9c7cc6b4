-- Quotes of shipping rates: an app answers what a rate costs for a cart and an address.
alter table shipping_rates
  add column quote_url text,
  add column quote_fallback text not null default 'price' check (quote_fallback in ('price', 'not_offered')),
  add column quote_secret text,                                      -- sealed
  add column quote_secret_last4 text,
  add column quote_error text,
  add column quote_error_detail text,
  add column quote_failed_at timestamptz(3);

-- The answers that a checkout keeps, with a digest of what was asked; null: none.
alter table checkouts add column shipping_quotes json;

-- The audit log says that there is a new secret, and nothing about failures.
drop function account_shipping_rates() cascade;
select account_for('shipping_rates', hidden => '{quote_error,quote_error_detail,quote_failed_at}', private => '{quote_secret}');
