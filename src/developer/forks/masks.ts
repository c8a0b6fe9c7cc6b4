// What replaces personal data in a fork: an expression for each personal column. The same value gets the same
// replacement everywhere, so that a customer's orders and checkouts still match; `salt` is new for each fork and is
// stored nowhere, so that nobody can look for the original of a replacement.
import { quoted } from '../../platform/postgres/databases.ts'

/** Column → the SQL expression that replaces it. */
export type Masks = Record<string, string>

type Masking = (column: string) => string

/** Column → its replacement, for the kinds of personal data. An address is JSON. */
function expressionsWith(salt: string) {
  const digest = (text: string) => `md5(${quoted(salt)} || lower(trim(${text})))`
  const name = (column: string) => `'Customer ' || upper(left(${digest(column)}, 6))`
  const email = (column: string) => `'customer-' || left(${digest(column)}, 12) || '@example.com'`
  const number = (text: string) => `('x' || left(${digest(text)}, 7))::bit(28)::int`
  // No area has the code 555.
  const phone = (column: string) =>
    `'+1555' || right('000000' || ${number(`regexp_replace(${column}, '\\D', '', 'g')`)}, 7)`
  const orNull = (column: string, mask: Masking) => `case when ${column} is not null then ${mask(column)} end`
  const addressWith = (address: string) => {
    const own = (key: string, mask: Masking) => `'${key}', ${orNull(`(${address} ->> '${key}')`, mask)}`
    const place = `'address', '1 Sample Street', 'address_2', null, 'city', 'Sample City', 'postal_code', null`
    return `case when ${address} is not null then (${address}::jsonb
      || jsonb_build_object(${own('name', name)}, ${own('phone', phone)}, ${place}, 'company', null)
      || case when ${address}::jsonb ? 'notes' then '{"notes": null}' else '{}' end::jsonb)::json end`
  }
  return { name, email, phone, orNull, addressWith }
}

/** Table → its masks. */
export function masksWith(salt: string): Record<string, Masks> {
  const { name, email, phone, orNull, addressWith } = expressionsWith(salt)
  const contact = {
    customer_name: orNull('customer_name', name),
    customer_email: orNull('customer_email', email),
    customer_phone: orNull('customer_phone', phone),
    shipping_address: addressWith('shipping_address'),
    customer_notes: 'null',
    tax_id: 'null',
  }
  const found = (names: string[]) => `lower(concat_ws(' ', ${names.join(', ')}))`
  return {
    stores: { reply_to_email: 'null', notification_email: 'null' },
    customers: {
      name: name('name'),
      email: orNull('email', email),
      phone: orNull('phone', phone),
      phone_key: orNull('phone', phone),
      search_text: found([name('name'), orNull('email', email), orNull('phone', phone)]),
      addresses: `coalesce((select json_agg(${addressWith('one')} order by position)
        from json_array_elements(addresses) with ordinality as own (one, position)), '[]')`,
      notes: 'null',
      tags: `'{}'`,
      tax_id: 'null',
    },
    orders: {
      ...contact,
      internal_notes: 'null',
      custom_fields: `'[]'`,
      search_text: `left(${found([orNull('customer_name', name), orNull('customer_email', email)])}, 200)`,
    },
    draft_orders: {
      ...contact,
      internal_notes: 'null',
      search_text: found([orNull('customer_name', name), orNull('customer_email', email)]),
    },
    checkouts: contact,
    fulfillments: { tracking_number: 'null', tracking_url: 'null' },
    refunds: { reason: 'null' },
    returns: { instructions: 'null', decline_reason: 'null' },
    return_items: { note: 'null' },
    payment_sessions: { return_url: 'null', redirect_url: 'null' },
    payment_events: { reason: 'null' },
  }
}
