// The bodies of events about redirects.
import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { declareEvents } from '../../tenancy/events/event.ts'
import { redirect } from './redirect.ts'
import { sampleId, sampleTime } from '../../commerce/samples.ts'

const id = sampleId('rdr')
const marks = { scope: 'read:store', subjectId: id }
const facts = { id, path: '/old-page', target: '/products/canvas-backpack' }
const sample = { redirect: { ...facts, created_at: sampleTime, updated_at: sampleTime } }

export const redirectBody = declareEvents(
  { ...marks, fields: { redirect: complete(redirect.fields).describe('Redirect of the event') } },
  {
    'redirect.created': { when: 'A [redirect](importing.md#old-urls) is created.', sample },
    'redirect.updated': { when: 'A redirect is changed.', sample },
  },
)

export const redirectDeletedBody = declareEvents(
  { ...marks, fields: { redirect: complete(pick(redirect.fields, ['id'])).describe('Redirect of the event') } },
  { 'redirect.deleted': { when: 'A redirect is deleted.', sample: { redirect: { id } } } },
)
