// A logged request as its store reads it: the caller, the request and the answer.
import { either } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, uuidOf } from '../../kit/values/ids.ts'

const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const

/** A list counts up to this many; a busy store has millions of requests. */
const maxCounted = 10_000

/** JSON as it was sent, but for what is masked. */
const body = () => either<object>([{ type: 'object' }], (object) => object).nullable()

// prettier-ignore
const fields = {
  id:          id('req').readonly(),
  request_id:  text({ max: 128 }).readonly().example('req_01j4ppgy1yf81r8stpc70j8epm')
    .describe('The X-Request-Id of the answer: the id, unless the caller has sent one of its own'),
  method:      choice(methods).readonly(),
  route:       text().readonly().example('/v1/products/{id}'),
  path:        text({ max: 500 }).readonly().example('/v1/products/prod_01j4ppgy1yf81r8stpc70j8epm'),
  query:       text({ max: 1000 }).nullable().readonly().example('status=all&search=***')
    .describe('User input is masked'),
  credential:  text().nullable().readonly().example('key_01j4ppgy1yf81r8stpc70j8epm')
    .describe('The key, or the client whose token it was; null: a shopper, who needs none'),
  status:      integer({ min: 100, max: 599 }).readonly().example(200),
  code:        text().nullable().readonly().example('VALIDATION_ERROR').describe('Of a refusal'),
  duration_ms: decimal({ min: 0 }).readonly().example(4.2),
  bytes_in:    integer({ min: 0 }).readonly().describe('Of the body that came'),
  bytes_out:   integer({ min: 0 }).readonly().describe('Of the body that was answered'),
  is_rehearsal: flag().readonly().describe('It was sent with Prefer: dry-run, and changed nothing'),
  created_at:  time().readonly().sortable('id').describe('When it came'),
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
    request_id: filter(
      text({ max: 128 }),
      (id) => sql`(requests.request_id = ${id} or requests.id = ${uuidOf('req', id)}::uuid)`,
    ),
    is_rehearsal: filter(flag(), (isDryRun) => sql`requests.is_rehearsal = ${isDryRun}`),
    from: filter(time(), (from) => sql`requests.id >= ${firstUuidAt(from)}`),
    to: filter(time(), (to) => sql`requests.id < ${firstUuidAt(new Date(to.getTime() + 1))}`),
    before: filter(
      text({ max: 64 }).describe('Those older than this one: pages of a log that grows meanwhile'),
      olderThan,
    ),
    after: filter(text({ max: 64 }).describe('Those newer than this one: what has come since'), newerThan),
  },
  { noun: 'Request', countsUpTo: maxCounted },
)

/** One that the store does not have has nothing before it. */
function olderThan(id: string, { store_id }: { store_id: string }): Sql {
  return sql`requests.id < (
      select first.id
      from requests as first
      where first.store_id = ${store_id}
        and first.id = ${uuidOf('req', id)}::uuid)`
}

/** Behind one that the store does not have comes nothing either. */
function newerThan(id: string, { store_id }: { store_id: string }): Sql {
  return sql`requests.id > (
      select last.id
      from requests as last
      where last.store_id = ${store_id}
        and last.id = ${uuidOf('req', id)}::uuid)`
}

/** One, with what was said. */
// prettier-ignore
export const requestDetail = resource('requests', {
  ...fields,
  error:        body().readonly().describe('What a refusal said'),
  request_body: body().readonly().describe('Of a write, without what is personal or secret; 4,096 characters of it'),
  answer_body:  body().readonly().describe('The same of its answer'),
}, {}, { noun: 'Request', title: 'Request with bodies' })
