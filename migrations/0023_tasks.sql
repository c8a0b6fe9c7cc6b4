-- What waits for the merchant: few of many. The dashboard counts it with every visit of its home page, from these
-- indexes alone.
create index orders_to_fulfill on orders (store_id, created_at desc, id desc)
  where fulfillment_status in ('unfulfilled', 'partial')
    and status in ('pending', 'confirmed', 'in_progress')
    and payment_status in ('pending', 'paid');
create index payment_sessions_to_capture on payment_sessions (store_id, created_at desc, id desc)
  where order_id is not null
    and capturable_amount > 0
    and asked_id is null
    and trouble is distinct from 'release_failed';
create index disputes_to_answer on disputes (store_id, evidence_due_at) include (session_id)
  where status = 'needs_response';
create index scarce_products_state on scarce_products (store_id, is_sold_out);
