import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { customer } from './customer.ts'
import { sampleContact, sampleId } from '../samples.ts'

const { id, name, email, phone } = customer.fields

/** A customer in the body of an event. Erasing the person leaves only the id. */
export const customerFields = { id, name: name.nullable(), email, phone }

const sample = { customer: { id: sampleId('cus'), ...sampleContact } }

export const mergedBody = declareEvents(
  {
    scope: 'read:customers',
    namesStore: true,
    subjectId: sample.customer.id,
    fields: {
      customer: complete(customerFields),
      merged_customer_id: id.describe('ID of the customer who became this one'),
    },
  },
  {
    'customer.merged': {
      when: 'Another customer becomes part of this one ([customers](customers.md#merging)).',
      sample: { ...sample, merged_customer_id: sampleId('cus') },
    },
  },
)

export const customerBody = declareEvents(
  {
    scope: 'read:customers',
    namesStore: true,
    subjectId: sample.customer.id,
    fields: { customer: complete(customerFields) },
  },
  {
    'customer.created': { when: 'A customer is created, including by a first order.', sample },
    'customer.updated': { when: "A customer's data changes.", sample },
  },
)

type CustomerFacts = { id: string; name: string; email: string | null; phone: string | null }

/** `id` and `mergedId` are uuids. */
export function mergedPayload(customer: CustomerFacts, mergedId: string): Payload<'customer.merged'> {
  return mergedBody.write({ customer: toFacts(customer), merged_customer_id: publicId('cus', mergedId) })
}

/** `id` is the uuid. */
export function customerPayload(customer: CustomerFacts): Payload<'customer.created' | 'customer.updated'> {
  return customerBody.write({ customer: toFacts(customer) })
}

function toFacts(customer: CustomerFacts): CustomerFacts {
  return { ...pick(customer, ['name', 'email', 'phone']), id: publicId('cus', customer.id) }
}
