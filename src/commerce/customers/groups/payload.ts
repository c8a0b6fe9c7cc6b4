// The bodies of events about customer groups.
import { complete } from '../../../kit/declare/composites.ts'
import { pick } from '../../../kit/declare/row.ts'
import { declareEvents, type Payload } from '../../../tenancy/events/event.ts'
import { customerGroup, type CustomerGroup } from './group.ts'
import { sampleId, sampleTime } from '../../samples.ts'

const { fields } = customerGroup

const id = sampleId('cgrp')
const marks = { scope: 'read:customers', subjectId: id }
const sample = { customer_group: { id, name: 'VIP', has_rules: true, created_at: sampleTime, updated_at: sampleTime } }

export const groupBody = declareEvents(
  {
    ...marks,
    fields: {
      customer_group: complete(pick(fields, ['id', 'name', 'has_rules', 'created_at', 'updated_at'])).describe(
        'Customer group of the event',
      ),
    },
  },
  {
    'customer_group.created': { when: 'A [customer group](customers.md) is created.', sample },
    'customer_group.updated': { when: 'A customer group is changed.', sample },
  },
)

export const groupDeletedBody = declareEvents(
  { ...marks, fields: { customer_group: complete(pick(fields, ['id'])).describe('Customer group of the event') } },
  { 'customer_group.deleted': { when: 'A customer group is deleted.', sample: { customer_group: { id } } } },
)

export function groupPayload(record: CustomerGroup): Payload<'customer_group.created' | 'customer_group.updated'> {
  return groupBody.write({ customer_group: record })
}
