// An endpoint is data: method, path, who may call it, its input and output, and the operation behind it.
import type { Db, StoreDatabase, Tx } from '../database/database.ts'
import type { Actor } from '../values/actor.ts'
import { notFound } from '../values/errors.ts'
import type { Fault } from '../values/faults.ts'
import { isUuid, toUuid } from '../values/ids.ts'
import type { JsonSchema } from './field.ts'
import type { ErrorResponse } from './errorresponse.ts'
import type { AnyResource, Json } from './resource.ts'
import type { Reader } from './shape.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type { Actor }

/** A file of a form (multipart/form-data). */
export type FileSent = { bytes: Buffer; name: string | null }

export type RouteCall<Store, P, Q, B> = {
  store: Store
  params: P
  query: Q
  body: B
  actor: Actor
  /** The scopes of the credential. */
  scopes: ReadonlySet<string>
  /** Aborted when the client is gone: for routes with `waitSeconds`. */
  signal: AbortSignal
}

type Params = Record<string, AnyResource>

/** {name} of a path → its description. */
type PathWords = Record<string, { description: string; example: string }>

/** The result of a write: its JSON, and the id with which the address of the written record ends, if it has one. */
export type WriteResult<T> = {
  readonly id: string | null
  /** A promise if it is read in the exchange of the commit. */
  readonly json: Json<T> | Promise<Json<T>>
  /** 202: the work is not finished yet. */
  readonly status?: 202
  /**
   * Calls to the outside world after the commit, when no lock is held. Their response is sent instead of this one,
   * which a repeat by Idempotency-Key gets.
   */
  readonly afterwards?: (db: StoreDatabase) => Promise<WriteResult<T>>
}

export type OperationAnswer = Json<any> | WriteResult<any>

export type Declaration<Store, Tools, P, Q, B, Access, A extends OperationAnswer, Prepared = any> = {
  /** The scopes of which one is required; errors name the first. */
  scope: string | readonly string[]
  /**
   * For signed-in people, not for programs: the roles or the scope that they need in the store of the path, and how
   * recent their sign-in must be.
   */
  session?: { roles?: readonly string[]; scope?: string; isRecent?: boolean }
  /** The feature of the plan that it requires; a function if it depends on the body, before that is validated. */
  feature?: string | ((body: Record<string, unknown>) => string | null)
  /** The resource that each {name} of the path identifies: `run` receives its uuid. */
  params?: P
  /** Path parameters that are not resource IDs. */
  words?: PathWords
  query?: Reader<Q>
  body?: Reader<B>
  /** Limits the calls of one address, before the operation. Its result is called after the operation. */
  guard?: (request: GuardedRequest<Store>, deps: Tools) => Promise<EndGuard | void>
  /** Faults of the body that only the outside world knows, determined before the transaction. */
  outside?: (body: Record<string, unknown>, deps: Tools, store: Store) => Promise<Fault[]>
  /** The file that may come with the body, which then is a form. */
  file?: { field: string; maxBytes: number }
  /** Slow work before the transaction, when no lock is held; `run` receives its result. It may throw an error. */
  prepare?: (context: Tools & Preparation<Store, { [K in keyof P]: string }, B>) => Promise<Prepared>
  /** Locks the record that a PATCH changes, if `params` do not name it: for requests with If-Match. */
  lock?: (context: { tx: Tx; store: Store; params: Record<string, string> }) => Promise<unknown>
  /**
   * True for a PATCH that runs even if it changes nothing: it compares by itself, or the record is in a state that its
   * body ends. Otherwise, the record is answered as it is.
   */
  runsUnchanged?: true | ((record: Record<string, unknown>) => boolean)
  /** Makes its own transactions: `run` receives `db`. For a protocol that answers refusals and repeats its own way. */
  ownsTransactions?: boolean
  /** Its body or response may contain a secret, so nothing stores them readably. */
  isConfidential?: boolean
  /** JSON Schema of the whole answer's `data`; `list` says that it comes in pages. */
  returns: JsonSchema
  list?: boolean
  /** The whole list as a file, for `Accept: text/csv` and at the path with `.csv` appended. */
  csv?: FileOf<Store, P, Q>
  /** The list as JSON Lines, for `Accept: application/x-ndjson` and at the path with `.jsonl` appended. */
  jsonl?: FileOf<Store, P, Q>
  /** The list as a workbook, at the path with `.xlsx` appended. */
  xlsx?: FileOf<Store, P, Q>
  /** The list in the columns of Shopify, at the path with `.shopify.csv` appended. */
  'shopify.csv'?: FileOf<Store, P, Q>
  /** Properties beside the data of a list in place of `pagination`; such a list is complete. */
  beside?: Record<string, JsonSchema>
  /** An expensive read: uses a replica if one has replayed all earlier writes. */
  readsReplica?: boolean
  /** The longest time that the response may be held back. */
  waitSeconds?: number
  /** JSON Schema of the `data` of a 202, if it may return one. */
  accepted?: JsonSchema
  /** True if it makes a record with an address below its path, for Location; the default for a `post`. */
  makesRecord?: boolean
  /** Errors in addition to those implied by the declaration. */
  refuses?: readonly ErrorResponse[]
  summary: string
  /** Needed if method and path do not describe the operation. */
  operationId?: string
  run: (
    context: RouteCall<Store, { [K in keyof P]: string }, Q, B> & { prepared: Prepared } & Access & Tools,
  ) => Promise<A> | A
}

type FileOf<Store, P, Q> = (context: {
  db: Db
  store: Store
  actor: Actor
  scopes: ReadonlySet<string>
  query: Q
  params: { [K in keyof P]: string }
}) => AsyncIterable<string | Buffer>

/** A request whose body was read, but not validated. */
export type GuardedRequest<Store> = { ip: string; store: Store; params: Record<string, string>; body: unknown }

export type EndGuard = (error?: unknown) => Promise<void>

type Preparation<Store, P, B> = {
  store: Store
  actor: Actor
  scopes: ReadonlySet<string>
  params: P
  body: B
  file: FileSent | null
  db: StoreDatabase
  /** A dry run: nothing of it is kept, and no outside service is called. */
  isDryRun: boolean
}

/** `Tools` are the dependencies of its operations beside the database; the app passes them to the whole table. */
export type Route<Store = any, Tools = any> = ReadRoute<Store, Tools> | WriteRoute<Store, Tools>
export type ReadRoute<Store = any, Tools = any> = Base<Store, Tools> & {
  method: 'GET'
  run: Run<RouteCall<Store, Record<string, string>, any, any> & { db: Db } & Tools>
}
export type WriteRoute<Store = any, Tools = any> = Base<Store, Tools> & {
  method: Exclude<Method, 'GET'>
  run: Run<RouteCall<Store, Record<string, string>, any, any> & { prepared: any; tx: Tx } & Tools>
}

/** True if `run` receives `db`, and no transaction. */
export function takesDatabase(route: Route): route is ReadRoute {
  return route.method === 'GET' || route.ownsTransactions === true
}

type Run<Context> = (context: Context) => Promise<OperationAnswer> | OperationAnswer

type Base<Store, Tools> = Omit<
  Declaration<Store, Tools, Params, any, any, {}, OperationAnswer>,
  'run' | 'makesRecord'
> & {
  path: string
  status: 200 | 201
  /** The noun that groups the routes in the reference. */
  tag: string
  makesRecord: boolean
}

export function toAnswerJson(answer: OperationAnswer): string | Promise<string> {
  return typeof answer === 'string' ? answer : answer.json
}

/** Public ids of a path as uuids; a malformed id is answered like an unknown one. */
export function pathIds(params: Record<string, string>, { params: resources }: Pick<Route, 'params'>) {
  return Object.fromEntries(
    Object.entries(params).map(([name, id]): [string, string] => {
      const resource = resources?.[name]
      if (!resource) return [name, id]
      const uuid = resource.prefix ? toUuid(resource.prefix, id) : isUuid(id) ? id.toLowerCase() : null
      if (uuid === null) throw notFound(resource.noun)
      return [name, uuid]
    }),
  )
}

/** Routes that hang below one prefix and let the same callers in. */
export type RouteTable = {
  /** The start of all paths of `routes`, and the parameters in it. */
  prefix: string
  words?: PathWords
  routes: readonly Route[]
  /** Honors `Prefer: dry-run`, whose response reveals more than strangers may know. */
  acceptsDryRuns?: boolean
  /** Takes no credential. */
  isPublic?: boolean
  /** Defaults to the server's. */
  maxBodyBytes?: number
  /** The errors of each of its routes that come before the operation. */
  refuses?: readonly ErrorResponse[]
}

/** The verbs with which a noun declares its routes. */
export function buildRouteVerbs<Store, Tools = {}>(tag: string) {
  const declare =
    (method: Method, status: 200 | 201) =>
    <P extends Params, Q, B>(
      path: string,
      declaration: Declaration<Store, Tools, P, Q, B, any, OperationAnswer>,
    ): Route<Store, Tools> =>
      ({ makesRecord: status === 201, ...declaration, method, path, status, tag }) as unknown as Route<Store, Tools>
  type Read = <P extends Params = {}, Q = {}>(
    path: string,
    of: Declaration<Store, Tools, P, Q, never, { db: Db }, Json<any>>,
  ) => Route<Store, Tools>
  type Write<A extends OperationAnswer> = <P extends Params = {}, Q = {}, B = {}, Prepared = undefined>(
    path: string,
    of: Declaration<Store, Tools, P, Q, B, { tx: Tx }, A, Prepared>,
  ) => Route<Store, Tools>
  return {
    get: declare('GET', 200) as unknown as Read,
    /** Answers 201, with the Location of the record that it makes. */
    post: declare('POST', 201) as unknown as Write<WriteResult<any>>,
    /** A POST that creates nothing: 200. */
    act: declare('POST', 200) as unknown as Write<OperationAnswer>,
    patch: declare('PATCH', 200) as unknown as Write<OperationAnswer>,
    del: declare('DELETE', 200) as unknown as Write<OperationAnswer>,
  }
}

export function json<T>(value: T): Json<T> {
  return JSON.stringify(value) as Json<T>
}

/** The result of a POST that makes nothing with an address of its own. */
export function noAddress<T>(value: T): WriteResult<T> {
  return { id: null, json: json(value) }
}

export const deleted = json({ deleted: true })

export const deletedSchema: JsonSchema = {
  type: 'object',
  properties: { deleted: { type: 'boolean', const: true } },
  required: ['deleted'],
}

export const countSchema: JsonSchema = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0 } },
  required: ['count'],
}
