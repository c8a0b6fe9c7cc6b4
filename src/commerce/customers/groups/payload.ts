// The bodies of events about customer groups.
import { complete } from '../../../kit/declare/composites.ts'
import { pick } from '../../../kit/declare/row.ts'
import { payload, type Payload } from '../../../tenancy/events/payload.ts'
import { customerGroup, type CustomerGroup } from './group.ts'

const { fields } = customerGroup

export const groupBody = payload(['customer_group.created', 'customer_group.updated'], {
  customer_group: complete(pick(fields, ['id', 'name', 'has_rules', 'created_at', 'updated_at'])),
})

export const groupDeletedBody = payload(['customer_group.deleted'], { customer_group: complete(pick(fields, ['id'])) })

export function groupPayload(record: CustomerGroup): Payload<'customer_group.created' | 'customer_group.updated'> {
  return groupBody.write({ customer_group: record })
}
