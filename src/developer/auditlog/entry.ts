// An entry of a store's audit log: one write.
import { object } from '../../kit/declare/composites.ts'
import { derive, field, type JsonSchema } from '../../kit/declare/field.ts'
import { filter, maxCounted, resource } from '../../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, isUuid, toUuid } from '../../kit/values/ids.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import { maskEach, maskSecrets } from '../../kit/values/masking.ts'
import { nounNames, getNounTable } from './nouns.ts'
import type { RowChange } from './rowchange.ts'
import { changesView, type ChangeView } from './view.ts'

const kinds = ['key', 'client', 'user', 'job', 'command', 'system'] as const

// prettier-ignore
const actor = object({
  kind: choice(kinds).required(),
  id:   text().required().example('key_01j4ppgy1yf81r8stpc70j8epm'),
  user: text().nullable().required().describe('ID of the user on whose behalf an OAuth app acted; otherwise null'),
})

const values = (description: string): JsonSchema => ({ type: ['object', 'null'], description })

export const changeSchema: JsonSchema = {
  title: 'Change',
  type: 'object',
  properties: {
    resource: { type: 'string', enum: nounNames },
    id: { type: 'string', examples: ['prod_01j4ppgy1yf81r8stpc70j8epm'] },
    before: values('Changed fields before the write; null if the record was created'),
    after: values('Changed fields after the write; null if the record was deleted'),
    masked: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of changed fields whose values are withheld because they are secret or personal',
    },
  },
  required: ['resource', 'id', 'before', 'after', 'masked'],
}

/** An undo reads the row itself. */
const toMaskedChanges = (text: string): ChangeView[] =>
  changesView(JSON.parse(text) as RowChange[]).map((change) => ({
    ...change,
    before: maskEach(change.before, maskSecrets) as ChangeView['before'],
    after: maskEach(change.after, maskSecrets) as ChangeView['after'],
  }))

const changes = field<ChangeView[]>({
  schema: { type: 'array', items: changeSchema },
  value: toMaskedChanges,
  write: (text) => JSON.stringify(toMaskedChanges(text)),
})

/** Selects a value from the seal of an entry. Of the seals made before it, few end with a newer entry. */
function inSeal(value: Sql): Sql {
  return sql`(
      select ${value}
      from audit_seals
      cross join array_position(audit_seals.entries, audit_log.id) as position
      where audit_seals.store_id = ${bindStore('audit_log.store_id')}
        and audit_seals.last_entry >= audit_log.id
        and position is not null
      order by audit_seals.last_entry
      limit 1)`
}

// prettier-ignore
export const auditEntry = resource('audit_log', {
  id:         id('aud').readonly(),
  request_id: text({ max: 128 }).nullable().readonly()
    .describe('X-Request-Id of the write; null if no request made it'),
  actor:      derive(actor, sql`
    (select to_json(who)
    from (select audit_log.actor_kind as kind, audit_log.actor_id as id, audit_log.actor_user as "user") as who)`)
      .describe('Who made the change'),
  operation:  text().readonly().example('updateProduct')
    .describe('Operation ID in this document, method and path of a page, job or command'),
  proposal_id: id('prop').nullable().readonly()
    .describe('ID of the approved proposal; null if the write was not proposed'),
  proposed_by: text().nullable().readonly().example('key:key_01j4ppgy1yf81r8stpc70j8epm')
    .describe('Kind and ID of the credential that proposed the write, which the actor approved'),
  changes:    changes.readonly(),
  sequence:   derive(integer({ min: 1 }), inSeal(raw('audit_seals.sequence + position - 1'))).nullable()
    .describe('Sequence number in the store; null for the first few seconds'),
  hash:       derive(text(), inSeal(raw(`encode(audit_seals.hashes[position], 'hex')`))).nullable()
    .describe('SHA-256 hash of this entry and the previous hash'),
  reverted_by: text({ max: 128 }).nullable().readonly().describe('X-Request-Id of the request that reverted it'),
  created_at: time().readonly().sortable('id'),
}, {
  actor:      filter(text({ max: 128 })
    .describe('ID of the API key, client, user, job or command that wrote or proposed'),
    (who) => sql`(audit_log.actor_id = ${who} or audit_log.actor_user = ${who}
      or split_part(audit_log.proposed_by, ':', 2) = ${who})`),
  resource:   filter(choice(nounNames), (name) => sql`exists (
      select from json_array_elements(audit_log.changes) as change
      where change ->> 'table' = ${getNounTable(name)})`),
  id:         filter(text({ max: 64 }).describe('ID of the changed record or approved proposal'),
    (record, { store_id }) => changesRecord(store_id, record)),
  operation:  filter(text({ max: 128 }), (operation) => sql`audit_log.operation = ${operation}`),
  request_id: filter(text({ max: 128 }), (request) => sql`
    (audit_log.request_id = ${request} or audit_log.request_uuid = ${toUuid('req', request)}::uuid)`),
  from:       filter(time(), (from) => sql`audit_log.id >= ${firstUuidAt(from)}`),
  to:         filter(time(), (to) => sql`audit_log.id < ${firstUuidAt(new Date(to.getTime() + 1))}`),
  before:     filter(text({ max: 64 }).describe('ID of an entry: returns older entries'),
    (entry) => sql`audit_log.id < ${toUuid('aud', entry)}::uuid`),
}, { noun: 'Audit entry', countsUpTo: maxCounted })

/** IDs of any kind: a value that is not an ID matches no entry. */
function changesRecord(storeId: string, id: string): Sql {
  const prefix = id.slice(0, Math.max(0, id.lastIndexOf('_')))
  const uuid = isUuid(id) ? id : toUuid(prefix, id)
  return uuid === null ? raw('false') : isAbout(storeId, sql`array[${uuid}::uuid]`)
}
