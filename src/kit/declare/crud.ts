// The routes that most records have, worded by their noun. A table of routes lists those that it offers.
import type { Db, Tx } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { count, find, page } from './page.ts'
import type { AnyResource, Json } from './resource.ts'
import { countSchema, deleted, deletedSchema, buildRouteVerbs } from './route.ts'
import type { Declaration, OperationAnswer, Route, RouteCall, WriteResult } from './route.ts'
import type { Reader } from './shape.ts'

type RouteScope = Declaration<any, any, any, any, any, any, any>['scope']

type CrudPath<Id extends string> = {
  /** The path of the list; a record is one level below. */
  path: string
  read: RouteScope
  /** Defaults to `read`. */
  write?: RouteScope
  /** The plural noun for summaries; defaults to the last word of the path. */
  plural?: string
  /** The name of the record's id in paths; defaults to `id`. */
  id?: Id
}

/** Overrides of the usual route. */
type Rules<Store, Tools, Body = any, Prepared = any> = Partial<
  Omit<Declaration<Store, Tools, any, any, Body, {}, OperationAnswer, Prepared>, 'run' | 'params'>
>
type ReadRules<Store, Tools> = Rules<Store, Tools, never> & {
  run?: (call: RouteCall<Store, any, any, never> & { db: Db } & Tools) => Promise<Json<any>>
}
type Read<Store, Tools> = (rules?: ReadRules<Store, Tools>) => Route<Store, Tools>

type WriteCall<Store, Tools, Params, Body, Prepared = undefined> = RouteCall<Store, Params, {}, Body> & {
  prepared: Prepared
  tx: Tx
} & Tools
type BodyOf<R> = R extends Reader<infer Body> ? Body : never

type Crud<Store, Tools, R extends AnyResource, Params> = {
  list: Read<Store, Tools>
  count: Read<Store, Tools>
  get: Read<Store, Tools>
  /** Lists the records that name this one in a column, below its path. */
  children: (
    child: AnyResource,
    place: { path: string; column: string },
    rules?: Rules<Store, Tools, never>,
  ) => Route<Store, Tools>
  create: <Body = BodyOf<R['create']>, Prepared = undefined>(
    run: (call: WriteCall<Store, Tools, {}, Body, Prepared>) => Promise<WriteResult<any>>,
    rules?: Rules<Store, Tools, Body, Prepared>,
  ) => Route<Store, Tools>
  update: <Body = BodyOf<R['patch']>>(
    run: (call: WriteCall<Store, Tools, Params, Body>) => Promise<OperationAnswer>,
    rules?: Rules<Store, Tools, Body, undefined>,
  ) => Route<Store, Tools>
  remove: (
    run: (call: WriteCall<Store, Tools, Params, {}>) => Promise<void>,
    rules?: Rules<Store, Tools, {}, undefined>,
  ) => Route<Store, Tools>
}

/** The routes of a noun's records; the reference shows them under `tag`. */
export function buildCrudRoutes<Store, Tools = {}>(tag: string) {
  const verbs = buildRouteVerbs<any, any>(tag)
  return <R extends AnyResource, Id extends string = 'id'>(
    resource: R,
    place: CrudPath<Id>,
  ): Crud<Store, Tools, R, Record<Id, string>> => ({
    ...reads(verbs, resource, place),
    ...writes(verbs, resource, place),
  })
}

type Verbs = ReturnType<typeof buildRouteVerbs<any, any>>
type AnyCrud = Crud<any, any, AnyResource, any>

function reads(
  { get }: Verbs,
  resource: AnyResource,
  { path, read: scope, plural = lastWord(path), id = 'id' }: CrudPath<string>,
): Pick<AnyCrud, 'list' | 'count' | 'get' | 'children'> {
  const { query, countQuery, entity: returns } = resource
  const one = withArticle(resource.noun)
  const params = { [id]: resource }
  return {
    list: (rules) =>
      get(path, {
        scope,
        query,
        returns,
        list: true,
        summary: `List ${plural}`,
        run: ({ db, store, query }) => page(db, resource, store, query),
        ...rules,
      }),
    count: (rules) =>
      get(`${path}/count`, {
        scope,
        query: countQuery,
        returns: countSchema,
        summary: `Count ${plural}`,
        run: ({ db, store, query }) => count(db, resource, store, query),
        ...rules,
      }),
    get: (rules) =>
      get(`${path}/{${id}}`, {
        scope,
        params,
        returns,
        summary: `Get ${one}`,
        run: ({ db, store, params }) => find(db, resource, store.id, params[id]!),
        ...rules,
      }),
    children: (child, { path: below, column }, rules) =>
      get(`${path}/{${id}}/${below}`, {
        scope,
        params,
        query: child.query,
        returns: child.entity,
        list: true,
        summary: `List ${one}'s ${below}`,
        async run({ db, store, params, query }) {
          await find(db, resource, store.id, params[id]!)
          return page(db, child, store, query, sql`${raw(`${child.table}.${column}`)} = ${params[id]}`)
        },
        ...rules,
      }),
  }
}

function writes(
  { post, patch, del }: Verbs,
  resource: AnyResource,
  { path, read, write: scope = read, id = 'id' }: CrudPath<string>,
): Pick<AnyCrud, 'create' | 'update' | 'remove'> {
  const { entity: returns } = resource
  const [body, changes]: Reader<any>[] = [resource.create, resource.patch]
  const one = withArticle(resource.noun)
  const record = { scope, params: { [id]: resource } }
  return {
    create: (run, rules) => post(path, { scope, body, returns, summary: `Create ${one}`, ...rules, run: run as any }),
    update: (run, rules) =>
      patch(`${path}/{${id}}`, {
        ...record,
        body: changes,
        returns,
        summary: `Update ${one}`,
        ...rules,
        run: run as any,
      }),
    remove: (run, rules) =>
      del(`${path}/{${id}}`, {
        ...record,
        returns: deletedSchema,
        summary: `Delete ${one}`,
        ...rules,
        run: (call) => run(call as any).then(() => deleted),
      }),
  }
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ')
}

/** "an order", "an API key". */
function withArticle(noun: string): string {
  const inSentence = /^[A-Z]{2}/.test(noun) ? noun : noun.toLowerCase()
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${inSentence}`
}
