// The buyer of an order: a customer of the store, or just the contact data of the order.
import type { Db, Tx } from '../../kit/database/database.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { sql } from '../../kit/database/sql.ts'
import { isExemptBuyer } from '../customers/exemption.ts'
import { findCustomer, matchCustomer } from '../customers/matching.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { NewOrder } from './order.ts'

type BuyerContact = { name: string | null; email: string | null; phone: string | null }

export type Buyer = {
  id: string | null
  isNew: boolean
  contact: BuyerContact
  tax_id: string | null
  isExempt: boolean
  faults: Fault[]
}

/**
 * The customer with this ID, otherwise the one with this email or phone, otherwise a new one. Without any of them, the
 * sale is anonymous. Only callers that name an ID get the data of the customer's record, tax exemption included.
 */
export async function findBuyer(
  tx: Tx,
  store: Store,
  input: NewOrder,
  knownCustomerId?: string | null,
): Promise<Buyer> {
  const contact = toBuyerContact(input)
  if (input.customer_id) return namedBuyer(tx, store, input, input.customer_id)
  const tax_id = readTaxId(input)
  // Skipped if the taxes are already known.
  const [isExempt, customerId] = await Promise.all([
    !input.taxes && isExemptBuyer(tx, store.id, { email: contact.email, tax_id }),
    knownCustomerId === undefined ? findCustomer(tx, store, contact) : knownCustomerId,
  ])
  const buyer = { contact, tax_id, isExempt, faults: [] }
  if (!contact.email && !contact.phone) return { id: null, isNew: false, ...buyer }
  return { ...(await matchCustomer(tx, store, contact, customerId)), ...buyer }
}

/** The buyer of an order that may be placed later: it creates no customer. */
export async function findProspect(db: Db, store: Store, input: NewOrder): Promise<Buyer> {
  if (input.customer_id) return namedBuyer(db, store, input, input.customer_id)
  const contact = toBuyerContact(input)
  const tax_id = readTaxId(input)
  const isExempt = await isExemptBuyer(db, store.id, { email: contact.email, tax_id })
  return { id: null, isNew: false, contact, tax_id, isExempt, faults: [] }
}

async function namedBuyer(db: Db, store: Store, input: NewOrder, id: string): Promise<Buyer> {
  const customer = await db.one<BuyerContact & { tax_id: string | null; tax_exempt: boolean }>(sql`
      select name, email, phone, tax_id, tax_exempt from customers
      where store_id = ${store.id}
        and id = ${id}`)
  const faults = customer ? [] : [fault('customer_id', generalFaults.does_not_exist)]
  const { tax_id = null, tax_exempt: isExempt = false } = customer ?? {}
  const contact = mergeContact(toBuyerContact(input), customer)
  return { id, isNew: false, contact, tax_id: readTaxId(input) ?? tax_id, isExempt, faults }
}

/** Who is invoiced is the buyer for tax purposes. */
function readTaxId({ tax_id, billing_address }: NewOrder): string | null {
  return billing_address?.tax_id ?? tax_id ?? null
}

function mergeContact(contact: BuyerContact, customer: BuyerContact | undefined): BuyerContact {
  return {
    name: contact.name ?? customer?.name ?? null,
    email: contact.email ?? customer?.email ?? null,
    phone: contact.phone ?? customer?.phone ?? null,
  }
}

export function toBuyerContact({
  customer,
  customer_name,
  customer_email,
  customer_phone,
  shipping_address,
}: NewOrder): BuyerContact {
  return {
    name: customer_name ?? customer?.name ?? (shipping_address?.name || null),
    email: customer_email ?? customer?.email ?? null,
    phone: customer_phone ?? customer?.phone ?? null,
  }
}
