import { sql } from '../../kit/database/sql.ts'
import { unequal, unlike } from '../../tenancy/tables/rule.ts'
import { table, undoBy, type Erase } from '../../tenancy/tables/table.ts'
import { consentRecord } from './consents/consent.ts'
import { customer } from './customer.ts'
import { customerGroup } from './groups/group.ts'
import { createGroup, updateGroup, deleteGroup } from './groups/operations.ts'
import { splitCustomers } from './merges/operations.ts'
import { customerNote } from './notes/note.ts'
import { deleteNote, findNoteOwner } from './notes/operations.ts'
import { updateCustomer, deleteCustomer } from './operations.ts'

export const customers = table(customer, {
  rules: [
    {
      name: "customer totals match the customer's orders",
      broken: unequal(
        sql`select store_id, id, orders_count, total_spent from customers`,
        sql`
        select store_id, customer_id, (status <> 'cancelled')::int, captured_amount - refunded_amount
        from orders
        where customer_id is not null`,
      ),
    },
  ],
  counters: { customers: '' },
  erasure: 'the record itself: its row is deleted',
  replaced: ({ name, email, phone, address, searchText }) => ({
    name: name('name'),
    email: email('email'),
    phone: phone('phone'),
    phone_key: phone('phone'),
    search_text: searchText(name('name'), email('email'), phone('phone')),
    addresses: `coalesce((select json_agg(${address('one')} order by position)
        from json_array_elements(addresses) with ordinality as own (one, position)), '[]')`,
    notes: 'null',
    tags: `'{}'`,
    tax_id: 'null',
    external_id: 'null',
    metadata: `'{}'`,
    custom_fields: `'{}'`,
  }),
  audit: {
    noun: 'customer',
    scope: 'customers',
    undo: {
      ...undoBy(customer, { update: updateCustomer }),
      follows: [
        'orders_count',
        'total_spent',
        'last_order_at',
        'last_order_id',
        'last_country_code',
        'last_province_code',
      ],
      companions: ['marketing_changed_at'],
      remove: ({ tx, store, deps }, id) => deleteCustomer(tx, store, id, deps),
      users: (storeId, id) => sql`select from orders where store_id = ${storeId} and customer_id = ${id} limit 1`,
    },
  },
})

const eraseMerges: Erase = (tx, storeId, { id }) =>
  tx.later(sql`
    delete from customer_merges
    where store_id = ${storeId}
      and customer_id = ${id}`)

export const customerMerges = table('customer_merges', {
  merge: 'follow',
  unforked: 'rows of people',
  erasure: eraseMerges,
  audit: {
    noun: 'customer_merge',
    scope: 'customers',
    undo: {
      change: () => Promise.reject(new Error('A merge is not changed')),
      remove: ({ tx, store }, id) => splitCustomers(tx, store, id),
    },
  },
})

export const marketingConsents = table(consentRecord, {
  merge: 'follow',
  audit: { noun: 'marketing_consent', scope: 'customers' },
  unforked: 'what people agreed to',
  erasure: 'proof of consent, which has the address only as a hash',
})

/** Erases the staff's notes; the audit log loses them too. */
const eraseNotes: Erase = (tx, storeId, { id }) =>
  tx.later(sql`
    delete from customer_notes
    where store_id = ${storeId}
      and customer_id = ${id}`)

export const customerNotes = table(customerNote, {
  merge: 'follow',
  unforked: 'what staff wrote about people',
  erasure: eraseNotes,
  audit: {
    noun: 'customer_note',
    scope: 'customers',
    undo: {
      change: () => Promise.reject(new Error('A note is not changed')),
      remove: async ({ tx, store }, id) => deleteNote(tx, store.id, await findNoteOwner(tx, store.id, id), id),
    },
  },
})

export const listedCustomers = table('listed_customers', {
  audit: 'what follows from customers',
  rules: [
    {
      name: 'the narrow rows of customers match the customers',
      broken: unlike(
        sql`store_id, id, orders_count, total_spent, last_order_at, accepts_marketing`,
        sql`customers`,
        sql`listed_customers`,
      ),
    },
  ],
})

export const customerGroups = table(customerGroup, {
  audit: {
    noun: 'customer_group',
    scope: 'customers',
    undo: {
      ...undoBy(customerGroup, { create: createGroup, update: updateGroup, remove: deleteGroup }),
      users: (storeId, id, own) => sql`
      (select from customers
      where store_id = ${storeId}
        and group_ids <> '{}'
        and group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)
      union all
      (select from discounts
      where store_id = ${storeId}
        and customer_group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)`,
    },
  },
})
