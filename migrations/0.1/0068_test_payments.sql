-- The test provider takes no money: a store uses it only where its merchant has said so.
alter table stores add column test_payments boolean not null default false;

-- Whether a shopper whose payment goes back has been told at the checkout.
alter table payment_sessions add column return_shown boolean not null default false;
drop trigger account_insert on payment_sessions;
drop trigger account_update on payment_sessions;
drop trigger account_delete on payment_sessions;
drop function account_payment_sessions();
select account_for('payment_sessions', hidden => '{look_at,recheck_at,return_shown,ask_at,tries}',
  private => '{return_url,redirect_url}');

-- The demo store is for trying out.
update stores
set test_payments = true
where slug = 'harbour-and-pine'
  and exists (select from payment_methods where store_id = stores.id and provider = 'test');
