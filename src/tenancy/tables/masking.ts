// Replacements for personal data in a fork: an expression for each kind. The same value gets the same replacement
// everywhere, so that a customer's orders and checkouts still match; `salt` is new for each fork and is stored nowhere,
// so that nobody can look for the original of a replacement.
import pg from 'pg'

type Masking = (column: string) => string

/** SQL expressions; each takes the expression of the value. */
export type Replacing = ReturnType<typeof replacingWith>

/** Payments of providers that move money become those of the built-in test provider. */
const harmless = `provider in ('manual', 'test', 'sandbox')`

export function replacingWith(salt: string) {
  const digest = (text: string) => `md5(${pg.escapeLiteral(salt)} || lower(trim(${text})))`
  const name = (column: string) => `'Customer ' || upper(left(${digest(column)}, 6))`
  const email = (column: string) => `'customer-' || left(${digest(column)}, 12) || '@example.com'`
  const number = (text: string) => `('x' || left(${digest(text)}, 7))::bit(28)::int`
  // No area has the code 555.
  const phone = (column: string) =>
    `'+1555' || right('000000' || ${number(`regexp_replace(${column}, '\\D', '', 'g')`)}, 7)`
  const orNull = (column: string, mask: Masking) => `case when ${column} is not null then ${mask(column)} end`
  /** An address is JSON. */
  const address = (json: string) => {
    const part = (key: string, mask: Masking) => `'${key}', ${orNull(`(${json} ->> '${key}')`, mask)}`
    // A province that is not known by its code is what someone typed.
    const province = `case when ${json} ->> 'province_code' is not null then ${json} ->> 'province' end`
    const place = `'address', '1 Sample Street', 'address_2', null, 'city', 'Sample City', 'postal_code', null`
    return `case when ${json} is not null then (${json}::jsonb
      || jsonb_build_object(${part('name', name)}, ${part('phone', phone)}, ${place},
        'province', ${province}, 'company', null)
      || case when ${json}::jsonb ? 'tax_id' then '{"tax_id": null}' else '{}' end::jsonb
      || case when ${json}::jsonb ? 'notes' then '{"notes": null}' else '{}' end::jsonb)::json end`
  }
  return {
    name,
    email: (column: string) => orNull(column, email),
    phone: (column: string) => orNull(column, phone),
    nameOrNull: (column: string) => orNull(column, name),
    address,
    /** Search text of a record. */
    searchText: (...texts: string[]) => `lower(concat_ws(' ', ${texts.join(', ')}))`,
    /** The buyer, the addresses and the notes of a purchase. */
    buyer: {
      customer_name: orNull('customer_name', name),
      customer_email: orNull('customer_email', email),
      customer_phone: orNull('customer_phone', phone),
      shipping_address: address('shipping_address'),
      billing_address: address('billing_address'),
      customer_notes: 'null',
      tax_id: 'null',
    },
    testProvider: `case when ${harmless} then provider else 'test' end`,
    unlessReal: (column: string, instead: string) => `case when ${harmless} then ${column} else ${instead} end`,
    /** A hash that matches no link of the original. */
    unknownHash: `sha256(convert_to(${pg.escapeLiteral(salt)} || id::text, 'UTF8'))`,
  }
}
