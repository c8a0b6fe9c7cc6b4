// The subjects that a statement depends on. The triggers that move versions say which tables belong to which subject,
// so an answer from any other table is never kept.
import { LRUCache } from 'lru-cache'
import type { Db, ReadWitness } from '../../kit/database/database.ts'
import { sql, type Statement } from '../../kit/database/sql.ts'
import { lazy } from '../../kit/values/lazy.ts'
import { toSubjectSet, type Subject, type SubjectSet } from './versions.ts'

/** How a table moves a subject: with all columns, or with some. `unfollowed` move none. */
type Followed = { source: string; subject: Subject; columns: string[]; moments: string[]; unfollowed: string[] }

/** Subjects, and the columns whose times change what is read of them. */
export type Dependence = { subjects: SubjectSet; moments: readonly TimeColumns[] }
export type TimeColumns = { source: string; columns: readonly string[] }

/** Sees the reads of one answer. */
export type Reading = ReadWitness & {
  /** The dependencies of the reads; null if the data can change without a new version. */
  found(): Promise<Dependence | null>
}

/** Writes of these tables move the version themselves (tenancy/stores/followups.ts). */
const ofStores: Followed = { source: 'stores', subject: 'settings', columns: [], moments: [], unfollowed: [] }

/** The triggers are read once, with the first answer. */
export function openReadings(db: Db): () => Reading {
  const load = lazy(() => loadDependencies(db))
  return () => {
    const statements: Statement[] = []
    let usesOther = false
    return {
      sawStatement: (statement) => void statements.push(statement),
      markUncacheable: () => void (usesOther = true),
      async found() {
        if (usesOther || statements.length === 0) return null
        const findDependence = await load()
        const all = statements.map(findDependence)
        return all.every((one) => one !== null) ? together(all) : null
      },
    }
  }
}

function together(all: readonly Dependence[]): Dependence {
  const subjects = all.reduce((set, one) => set | one.subjects, 0)
  return { subjects, moments: all.flatMap(({ moments }) => moments) }
}

/** Finds the dependencies of each statement; null if it reads a table whose writes move no version. */
export async function loadDependencies(db: Db): Promise<(statement: Statement) => Dependence | null> {
  const follows = await db.rows<Followed>(sql`
    select own.relname as source, arguments[1] as subject,
      array_remove(string_to_array(coalesce(arguments[2], ''), ','), '') as moments,
      array(
        select attname::text
        from pg_attribute
        where attrelid = own.oid
          and attnum = any(tgattr)) as columns,
      array(
        select attname::text
        from pg_attribute
        where attrelid = own.oid
          and attnum > 0
          and not attisdropped
          and attname <> 'store_id'
          and pg_trigger.tgattr <> ''
          and not exists (
            select from pg_trigger as other
            where other.tgrelid = own.oid
              and other.tgname like 'follow\\_%'
              and attnum = any(other.tgattr))) as unfollowed
    from pg_trigger
    cross join lateral string_to_array(encode(tgargs, 'escape'), '\\000') as arguments
    join pg_class as own on own.oid = tgrelid
    where own.relnamespace = current_schema()::regnamespace
      and tgname = 'follow_' || arguments[1]`)
  follows.push(ofStores)
  const functions = await loadFunctions(db)
  const dependences = new LRUCache<string, { dependence: Dependence | null }>({ max: 1000 })
  return (statement) => {
    const key = statement.name ?? statement.text
    const entry = dependences.get(key) ?? { dependence: readDependence(withFunctions(statement, functions), follows) }
    dependences.set(key, entry)
    return entry.dependence
  }
}

type ReadingFunction = { name: string; body: string }

/** The functions that read tables: the others depend on nothing but their arguments. */
function loadFunctions(db: Db): Promise<ReadingFunction[]> {
  return db.rows<ReadingFunction>(sql`
    select proname::text as name, prosrc as body
    from pg_proc
    join pg_language on pg_language.oid = prolang
    where pronamespace = current_schema()::regnamespace
      and lanname in ('sql', 'plpgsql')
      and provolatile = 's'`)
}

/** The statement with the texts of the functions that it calls. */
function withFunctions(statement: Statement, functions: readonly ReadingFunction[]): Statement {
  const called = functions.filter(({ name }) => statement.text.includes(`${name}(`))
  return { ...statement, text: [statement.text, ...called.map(({ body }) => body)].join('\n') }
}

function readDependence({ text, isTimed }: Statement, follows: readonly Followed[]): Dependence | null {
  const words = new Set(text.match(/[a-z_]+/g))
  if (writes.some((word) => words.has(word))) return null
  const mentions = (columns: readonly string[]) => columns.some((column) => words.has(column))
  const dependence = { subjects: 0, moments: [] as TimeColumns[] }
  // A name that its own `with` declares is not a table, unless a table has the same name.
  const names = new Set(namesIn(text, /\b([a-z_]{1,63}) as (?:materialized )?\(/g))
  for (const source of new Set(namesIn(text, /(?<!distinct )\b(?:from|join)\s+([a-z_]{1,63})\b(?! ?\()/g))) {
    const own = follows.filter((one) => one.source === source)
    if (own.some(({ unfollowed }) => mentions(unfollowed))) return null
    if (own.length === 0 && !names.has(source)) return null
    for (const { subject, columns, moments } of own) {
      if (columns.length > 0 && !mentions(columns)) continue
      dependence.subjects |= toSubjectSet(subject)
      if (isTimed && moments.length > 0) dependence.moments.push({ source, columns: moments })
    }
  }
  return isTimed && dependence.moments.length === 0 ? null : dependence
}

const writes = ['insert', 'update', 'delete']

function namesIn(text: string, form: RegExp): string[] {
  return [...text.matchAll(form)].map(([, name]) => name!)
}
