// An endpoint is data: method, path, who may call it, what it takes, what it answers, and the operation behind it.
import type { Db, StoreDatabase, Tx } from '../database/database.ts'
import type { Actor } from '../values/actor.ts'
import { notFound } from '../values/errors.ts'
import type { Fault } from '../values/faults.ts'
import { isUuid, uuidOf } from '../values/ids.ts'
import type { JsonSchema } from './field.ts'
import type { ErrorResponse } from './errorresponse.ts'
import type { AnyResource, Json } from './resource.ts'
import type { Reader } from './shape.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type { Actor }

/** A file of a form (multipart/form-data). */
export type FileSent = { bytes: Buffer }

export type RouteCall<Store, P, Q, B> = {
  store: Store
  params: P
  query: Q
  body: B
  actor: Actor
  /** What the credential may do. */
  scopes: ReadonlySet<string>
  /** Aborted when nobody waits for the answer any more: for routes with `waitSeconds`. */
  signal: AbortSignal
}

type Params = Record<string, AnyResource>

/** {name} of a path → what it is. */
type PathWords = Record<string, { description: string; example: string }>

/** What a write answers: the text that is sent, and the id with which the address of what it wrote ends, if any. */
export type WriteResult<T> = {
  readonly id: string | null
  readonly json: Json<T>
  /** 202: there is something left to do before it is made. */
  readonly status?: 202
  /**
   * What is asked of the outside world once all this is committed, and nothing is locked any more. Its answer is sent
   * instead of this one, which is what a repeat by Idempotency-Key gets.
   */
  readonly afterwards?: (db: StoreDatabase) => Promise<WriteResult<T>>
}

export type OperationAnswer = Json<any> | WriteResult<any>

export type Declaration<Store, Tools, P, Q, B, Access, A extends OperationAnswer, Prepared = any> = {
  /** One of these scopes; the first is the one that a refusal names. */
  scope: string | readonly string[]
  /** For people who are signed in, instead of programs: their roles in the store of the path, and how lately. */
  session?: { roles?: readonly string[]; isRecent?: boolean }
  /** The plan's feature that it needs; a function when that depends on the body (before it is validated). */
  feature?: string | ((body: Record<string, unknown>) => string | null)
  /** The resource that each {name} of the path identifies: `run` receives its uuid. */
  params?: P
  /** What the parts of the path say that are no such ids. */
  words?: PathWords
  query?: Reader<Q>
  body?: Reader<B>
  /** Limits what one address may ask for, before the operation. Its result is called when that has ended. */
  guard?: (request: GuardedRequest<Store>, tools: Tools) => Promise<EndGuard | void>
  /** Faults of the body that only the outside world knows; looked for before the transaction. */
  outside?: (body: Record<string, unknown>, tools: Tools, store: Store) => Promise<Fault[]>
  /** The file that may come with the body, which then is a form. */
  file?: { field: string; maximumBytes: number }
  /** What takes time, before the transaction, when nothing is locked; `run` gets what it answers. It may refuse. */
  prepare?: (context: Tools & Preparation<Store, { [K in keyof P]: string }, B>) => Promise<Prepared>
  /** Locks the record that a PATCH changes, where `params` do not name it: for requests with If-Match. */
  lock?: (context: { tx: Tx; store: Store; params: Record<string, string> }) => Promise<unknown>
  /** Its body or its answer may have a secret: it is kept nowhere to be read again. */
  isConfidential?: boolean
  /** JSON Schema of the whole answer's `data`; `list` says that it comes in pages. */
  returns: JsonSchema
  list?: boolean
  /** The whole list as a file, for `Accept: text/csv` and at the path with `.csv` behind it. */
  csv?: (context: { db: Db; store: Store; query: Q }) => AsyncIterable<string>
  /** What stands beside the data of a list in place of `pagination`: the answer is whole. */
  beside?: Record<string, JsonSchema>
  /** How long the answer may let itself be waited for. */
  waitSeconds?: number
  /** JSON Schema of the `data` of 202, where it may answer that. */
  accepted?: JsonSchema
  /** Whether it makes a record with an address below its path, for Location; a `post` does unless it says not. */
  makesRecord?: boolean
  /** What it refuses beside what follows from the rest of its declaration. */
  refuses?: readonly ErrorResponse[]
  summary: string
  /** Where method and path do not say what it does. */
  operationId?: string
  run: (
    context: RouteCall<Store, { [K in keyof P]: string }, Q, B> & { prepared: Prepared } & Access & Tools,
  ) => Promise<A> | A
}

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
  /** Nothing may stay of it, and nobody is asked. */
  isRehearsal: boolean
}

/** `Tools` is what its operation needs beside the database; the app gives them to the whole table. */
export type Route<Store = any, Tools = any> = ReadRoute<Store, Tools> | WriteRoute<Store, Tools>
export type ReadRoute<Store = any, Tools = any> = Base<Store, Tools> & {
  method: 'GET'
  run: Run<RouteCall<Store, Record<string, string>, any, any> & { db: Db } & Tools>
}
export type WriteRoute<Store = any, Tools = any> = Base<Store, Tools> & {
  method: Exclude<Method, 'GET'>
  run: Run<RouteCall<Store, Record<string, string>, any, any> & { prepared: any; tx: Tx } & Tools>
}

type Run<Context> = (context: Context) => Promise<OperationAnswer> | OperationAnswer

type Base<Store, Tools> = Omit<
  Declaration<Store, Tools, Params, any, any, {}, OperationAnswer>,
  'run' | 'makesRecord'
> & {
  path: string
  status: 200 | 201
  /** The noun under which the reference shows it. */
  tag: string
  makesRecord: boolean
}

export function textOf(answer: OperationAnswer): string {
  return typeof answer === 'string' ? answer : answer.json
}

/** Public ids of a path as uuids; what cannot be an id answers like an unknown one. */
export function pathIds(params: Record<string, string>, { params: resources }: Pick<Route, 'params'>) {
  return Object.fromEntries(
    Object.entries(params).map(([name, id]): [string, string] => {
      const resource = resources?.[name]
      if (!resource) return [name, id]
      const uuid = resource.prefix ? uuidOf(resource.prefix, id) : isUuid(id) ? id.toLowerCase() : null
      if (uuid === null) throw notFound(resource.noun)
      return [name, uuid]
    }),
  )
}

/** Routes that hang below one prefix and let the same callers in. */
export type Table = {
  /** What the paths of `routes` begin with, and what its own parts in braces are. */
  prefix: string
  words?: PathWords
  routes: readonly Route[]
  /** Whether `Prefer: dry-run` is heard: it tells more than what strangers may know. */
  rehearses?: boolean
  /** Takes no credential. */
  isPublic?: boolean
  /** Unless it is given, the server's. */
  maximumBodyBytes?: number
  /** What each of its routes refuses before it is asked. */
  refuses?: readonly ErrorResponse[]
}

/** The verbs with which a noun declares its routes. */
export function routesOf<Store, Tools = {}>(tag: string) {
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

/** What a POST answers that made nothing with an address of its own. */
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
