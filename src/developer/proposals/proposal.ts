// A write after its dry run, kept until a person with the scope approves it.
import { either, object } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { rehearsalSchema } from '../dryruns/view.ts'

const statuses = ['open', 'approved', 'refused', 'expired'] as const

const anyObject = () => either<any>([{ type: 'object' }], (value) => value)

// prettier-ignore
const request = {
  method:   choice(['POST', 'PATCH', 'DELETE']).required(),
  path:     text({ min: 1, max: 500 }).required().example('/v1/categories').describe('Path of an operation under /v1'),
  body:     anyObject().nullable().example({ name: 'Hats' }).describe('Body of the request'),
  if_match: text({ max: 500 }).nullable().describe('Value of the If-Match header'),
}

const answer = object({ status: integer().required(), data: anyObject().required().describe('Data of the response') })

const currentState = sql`
    case when proposals.status = 'open' and proposals.expires_at <= ${currentTime} then 'expired'
         else proposals.status end`

// prettier-ignore
export const proposal = resource('proposals', {
  id:          id('prop').readonly(),
  status:      derive(choice(statuses), currentState),
  operation:   text().readonly().example('createCategory').describe('Operation ID in this document'),
  request:     object(request).readonly(),
  note:        text({ max: 500 }).personal().nullable().example('Asked for by Ana').describe('Note for the approver'),
  answer:      answer.readonly().describe('Response the request would get'),
  rehearsal:   either<any>([rehearsalSchema], (value) => value).readonly(),
  result:      answer.nullable().readonly().describe('Response when the request was executed; null until then'),
  reason:      text({ max: 500 }).personal().nullable().readonly().describe('Why the proposal was declined'),
  proposed_by: text().readonly().describe('Kind and ID of the credential that made the proposal'),
  decided_by:  text().nullable().readonly().describe('Who approved or declined the proposal'),
  created_at:  time().readonly().sortable(),
  expires_at:  time().readonly(),
  decided_at:  time().nullable().readonly().describe('Time the proposal was approved or declined'),
}, {
  status: filter(choice([...statuses, 'all']).default('open'), (status) =>
    status === 'all' ? null : sql`(${currentState}) = ${status}`),
}, { noun: 'Proposal' })

export const newProposal = createBody({ ...request, note: text({ max: 500 }).personal().nullable() })
export const refusal = createBody({ reason: text({ max: 500 }).personal().nullable().example('Too early') })

export type NewProposal = NonNullable<typeof newProposal.type>
