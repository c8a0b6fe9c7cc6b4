import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { payload, type Payload } from '../../tenancy/events/payload.ts'
import { customer } from './customer.ts'

const { id, name, email, phone } = customer.fields

/** A customer in the body of an event. Erasing the person leaves only the id. */
export const customerFields = { id, name: name.nullable(), email, phone }

export const customerBody = payload(['customer.created', 'customer.updated'], { customer: complete(customerFields) })

type CustomerFacts = { id: string; name: string; email: string | null; phone: string | null }

/** `id` is the uuid. */
export function customerPayload(customer: CustomerFacts): Payload<'customer.created' | 'customer.updated'> {
  return customerBody.write({
    customer: { ...pick(customer, ['name', 'email', 'phone']), id: publicId('cus', customer.id) },
  })
}
