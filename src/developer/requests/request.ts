// A logged request as its store reads it: the caller, the request and the answer.
import { either } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { filter, maxCounted, resource } from '../../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, toUuid } from '../../kit/values/ids.ts'

const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const

/** JSON as it was sent, except for masked values. */
const body = () => either<object>([{ type: 'object' }], (object) => object).nullable()

// prettier-ignore
const fields = {
  id:          id('req').readonly(),
  request_id:  text({ max: 128 }).readonly().example('req_01j4ppgy1yf81r8stpc70j8epm')
    .describe('X-Request-Id of the response: the ID sent by the client, or otherwise the `id` of this record'),
  method:      choice(methods).readonly(),
  route:       text().readonly().example('/v1/products/{id}'),
  path:        text({ max: 500 }).readonly().example('/v1/products/prod_01j4ppgy1yf81r8stpc70j8epm'),
  query:       text({ max: 1000 }).nullable().readonly().example('status=all&search=***')
    .describe('Query string; user input is masked'),
  credential:  text().nullable().readonly().example('key_01j4ppgy1yf81r8stpc70j8epm')
    .describe('ID of the API key or OAuth client; null for requests of shoppers'),
  status:      integer({ min: 100, max: 599 }).readonly().example(200),
  code:        text().nullable().readonly().example('VALIDATION_ERROR')
    .describe('Error code; null if the request succeeded'),
  duration_ms: decimal({ min: 0 }).readonly().example(4.2),
  bytes_in:    integer({ min: 0 }).readonly().describe('Size of the request body in bytes'),
  bytes_out:   integer({ min: 0 }).readonly().describe('Size of the response body in bytes'),
  is_rehearsal: flag().readonly().describe('Whether the request was a dry run, which changed nothing'),
  tool:        text().nullable().readonly().example('find_products')
    .describe('Tool of the MCP server that made the request; null if it was sent to the API itself'),
  agent:       text().nullable().readonly().example('assistant.example')
    .describe("Name of the shopper's agent that made the request by UCP; null for other requests"),
  created_at:  time().readonly().sortable('id').describe('Time the request was received'),
}

export const request = resource(
  'requests',
  fields,
  {
    status: filter(choice(['2xx', '3xx', '4xx', '5xx', 'all']).default('all'), (status) =>
      status === 'all' ? null : raw(`requests.status between ${status[0]}00 and ${status[0]}99`),
    ),
    method: filter(choice(methods), (method) => sql`requests.method = ${method}`),
    route: filter(text({ max: 200 }), (route) => sql`requests.route = ${route}`),
    credential: filter(text({ max: 100 }), (credential) => sql`requests.credential = ${credential}`),
    code: filter(text({ max: 64 }), (code) => sql`requests.code = ${code}`),
    tool: filter(text({ max: 64 }), (tool) => sql`requests.tool = ${tool}`),
    agent: filter(
      text({ max: 200 }).describe("Name of the shopper's agent"),
      (agent) => sql`requests.agent = ${agent}`,
    ),
    request_id: filter(
      text({ max: 128 }),
      (id) => sql`(requests.request_id = ${id} or requests.id = ${toUuid('req', id)}::uuid)`,
    ),
    is_rehearsal: filter(flag(), (isDryRun) => sql`requests.is_rehearsal = ${isDryRun}`),
    from: filter(time(), (from) => sql`requests.id >= ${firstUuidAt(from)}`),
    to: filter(time(), (to) => sql`requests.id < ${firstUuidAt(new Date(to.getTime() + 1))}`),
    before: filter(text({ max: 64 }).describe('ID of a request: returns older requests'), olderThan),
    after: filter(text({ max: 64 }).describe('ID of a request: returns newer requests'), newerThan),
  },
  { noun: 'Request', countsUpTo: maxCounted },
)

/** A cursor that the store does not have has nothing before it. */
function olderThan(id: string, { store_id }: { store_id: string }): Sql {
  return sql`requests.id < (
      select first.id
      from requests as first
      where first.store_id = ${store_id}
        and first.id = ${toUuid('req', id)}::uuid)`
}

/** An unknown cursor: empty page. */
function newerThan(id: string, { store_id }: { store_id: string }): Sql {
  return sql`requests.id > (
      select last.id
      from requests as last
      where last.store_id = ${store_id}
        and last.id = ${toUuid('req', id)}::uuid)`
}

/** One request, with its bodies. */
// prettier-ignore
export const requestDetail = resource('requests', {
  ...fields,
  error:        body().readonly().describe('Error returned; null if the request succeeded'),
  request_body: body().readonly()
    .describe('Request body of a write, without personal data and secrets; first 4,096 characters'),
  answer_body:  body().readonly()
    .describe('Response body of a write, without personal data and secrets; first 4,096 characters'),
}, {}, { noun: 'Request', title: 'Request with bodies' })
