// Which tables a statement uses, and which of them name their store by a constant, as far as PostgreSQL's planner can
// tell: directly, or by a join to one that does. It cannot tell of what is asked again for each row: a subselect in an
// expression, or one in `from` that is more than a join.
import type { Place } from '../../src/platform/postgres/placement.ts'
import { Constants, Equalities } from './equalities.ts'
import * as tree from './tree.ts'
import type { Node } from './tree.ts'

export type Placement = Readonly<Record<string, Place>>

/** A table at one place of a statement. */
export type Use = {
  table: string
  place: Place
  level: Level
  isWritten: boolean
  /** True if it names its store, or its stores, by a constant. */
  isFixed: boolean
  /** True if it names several stores. */
  isMany: boolean
  /** The same for all that are joined by their store. */
  join: string
}

/** One `select`, `insert`, `update` or `delete`. */
export type Level = {
  kind: string
  node: Node
  outer: Level | null
  /** What it is for the level outside. PostgreSQL plans it as one with what is `joined`. */
  as: 'statement' | 'with' | 'joined' | 'from' | 'condition' | 'expression'
  sources: Map<string, Source>
  /** What it, or a level inside, names of the levels outside. */
  correlations: Source[]
}

/** What has a name in `from`. */
type Source = {
  alias: string
  key: string
  level: Level
  table?: string
  place?: Place
  /** Known of queries and functions. */
  columns?: (string | undefined)[]
  /** The query that it stands for, if that is joined. */
  query?: Level
}

/** What `with` names. */
type Named = ReadonlyMap<string, { node: Node; joined?: Level }>
type Column = { source: Source; key: string }

const storeOf = ({ key }: Source): string => `${key}.store_id`

export class Reader {
  readonly levels: Level[] = []
  readonly uses: Use[]
  readonly #placement: Placement
  readonly #found: { source: Source; isWritten: boolean }[] = []
  readonly #constants = new Constants()
  /** Columns known to be one of several. */
  readonly #many = new Set<string>()
  readonly #joins = new Equalities()

  constructor(statement: Node, placement: Placement) {
    this.#placement = placement
    this.#read(statement, null, 'statement', new Map())
    // What is known of both sides of an outer join is no join any more.
    for (const [from, to] of this.#constants.settle()) this.#joins.add(from, to)
    this.uses = this.#found.map(({ source, isWritten }) => ({
      table: source.table!,
      place: source.place!,
      level: source.level,
      isWritten,
      isFixed: this.#constants.has(storeOf(source)),
      isMany: this.#many.has(storeOf(source)),
      join: this.#joins.rootOf(storeOf(source)),
    }))
  }

  #read(statement: Node, outer: Level | null, as: Level['as'], outerNamed: Named): Level {
    const [kind, node] = Object.entries(statement)[0] as [string, Node]
    const level: Level = { kind, node, outer, as, sources: new Map(), correlations: [] }
    this.levels.push(level)
    const named = this.#readWith(node, outerNamed)
    if (node.larg) {
      for (const arm of [node.larg, node.rarg]) this.#read({ SelectStmt: arm }, level, 'from', named)
      return level
    }
    const { relation, relations = [], withClause: _, fromClause = [], usingClause = [], whereClause, ...rest } = node
    if (relation) this.#addTable(relation, level, true)
    for (const { RangeVar: table } of relations) this.#addTable(table, level, true)
    for (const item of [...fromClause, ...usingClause]) this.#readFrom(item, level, named)
    this.#readCondition(whereClause, level, named)
    this.#readExpressions(rest, level, named)
    if (kind === 'InsertStmt') this.#readInserted(node, level, named)
    return level
  }

  #readWith({ withClause }: Node, outer: Named): Named {
    const named = new Map(outer)
    for (const { CommonTableExpr: query } of withClause?.ctes ?? []) {
      // What is recursive names itself.
      if (withClause.recursive) named.set(query.ctename, { node: {} })
      const level = this.#read(query.ctequery, null, 'with', named)
      const isOwn = withClause.recursive || query.ctematerialized === 'CTEMaterializeAlways'
      const isJoined = !isOwn && level.kind === 'SelectStmt' && tree.isJoin(level.node)
      named.set(query.ctename, { node: level.node, ...(isJoined && { joined: level }) })
    }
    return named
  }

  /** Answers the sources that it adds. */
  #readFrom(item: Node, level: Level, named: Named): Source[] {
    const [kind, node] = Object.entries(item)[0] as [string, Node]
    if (kind === 'JoinExpr') return this.#readJoin(node, level, named)
    if (kind === 'RangeVar') {
      const query = node.schemaname ? undefined : named.get(node.relname)
      if (!query) return [this.#addTable(node, level, false)]
      const columns = tree.outputsOf(query.node)
      return [this.#addSource(node, level, { columns, ...(query.joined && { query: query.joined }) })]
    }
    if (kind === 'RangeSubselect') {
      const isJoined = tree.isJoin(node.subquery.SelectStmt)
      const query = this.#read(node.subquery, level, isJoined ? 'joined' : 'from', named)
      return [this.#addSource(node, level, { columns: tree.outputsOf(query.node), ...(isJoined && { query }) })]
    }
    this.#readExpressions(node, level, named)
    const columns = node.alias?.colnames?.map((name: Node) => name.String.sval) ?? []
    return [this.#addSource(node, level, { columns })]
  }

  #readJoin({ jointype, larg, rarg, quals: on, usingClause }: Node, level: Level, named: Named): Source[] {
    const [left, right] = [this.#readFrom(larg, level, named), this.#readFrom(rarg, level, named)]
    const quals = usingClause ? tree.equalStores(left[0]!.alias, right[0]!.alias) : on
    if (jointype === 'JOIN_INNER') this.#readCondition(quals, level, named)
    else {
      const optional = jointype === 'JOIN_LEFT' ? right : jointype === 'JOIN_RIGHT' ? left : []
      for (const condition of tree.conjunctsOf(quals)) {
        const [one, other] = tree.equationOf(condition) ?? []
        if (one && other)
          for (const pair of [
            [one, other],
            [other, one],
          ] as const)
            this.#imply(...pair, optional, level)
      }
      this.#readExpressions(quals, level, named)
    }
    return [...left, ...right]
  }

  #imply(from: Node, to: Node, optional: Source[], level: Level): void {
    const target = this.#columnOf(to, level)
    if (!target || !optional.includes(target.source)) return
    const origin = this.#columnOf(from, level)
    if (tree.isConstant(from)) this.#constants.add(target.key)
    else if (origin) this.#constants.imply(origin.key, target.key)
  }

  #readCondition(whole: Node | undefined, level: Level, named: Named): void {
    for (const condition of tree.conjunctsOf(whole)) {
      const [one, other] = tree.equationOf(condition) ?? []
      if (one && other) this.#equate(one, other, level)
      const [member, members] = tree.membershipOf(condition) ?? []
      if (member && members) this.#equate(member, members, level, true)
      const { SubLink: link } = condition
      if (['EXISTS_SUBLINK', 'ANY_SUBLINK'].includes(link?.subLinkType)) this.#readSemijoin(link, level, named)
      else this.#readExpressions(condition, level, named, 'condition')
    }
  }

  /** `exists (…)` and `(a, b) in (…)` */
  #readSemijoin({ testexpr, subselect }: Node, level: Level, named: Named): void {
    this.#readExpressions(testexpr, level, named)
    const isJoined = tree.isJoin(subselect.SelectStmt)
    const inner = this.#read(subselect, level, isJoined ? 'joined' : 'from', named)
    const values: Node[] = testexpr?.RowExpr?.args ?? (testexpr ? [testexpr] : [])
    if (isJoined)
      values.forEach((value, index) => this.#equate(value, inner.node.targetList[index].ResTarget.val, inner))
  }

  /** Subselects in expressions are asked for each row. */
  #readExpressions(part: unknown, level: Level, named: Named, as: 'condition' | 'expression' = 'expression'): void {
    for (const { testexpr, subselect } of tree.subselectsOf(part)) {
      this.#readExpressions(testexpr, level, named, as)
      this.#read(subselect, level, as, named)
    }
    for (const column of tree.nodesOf(part, 'ColumnRef', ['SubLink', 'SelectStmt']))
      this.#sourceOf(tree.fieldsOf(column), level)
  }

  #readInserted({ cols = [], selectStmt }: Node, level: Level, named: Named): void {
    const target = storeOf([...level.sources.values()][0]!)
    const place = cols.findIndex(({ ResTarget: { name } }: Node) => name === 'store_id')
    const rows = tree.rowsOf(selectStmt)
    if (rows?.every((row) => tree.isConstant(row[place]))) this.#constants.add(target)
    if (rows || !selectStmt) return
    const before = this.#found.length
    const inner = this.#read(selectStmt, level, 'joined', named)
    const value = inner.node.targetList?.[place]?.ResTarget.val
    const column = value && this.#columnOf(value, inner)
    // Rows that come from no table are handed to their stores one by one.
    const readsNone = this.#found
      .slice(before)
      .every(({ source }) => source.place !== 'distributed' && source.place !== 'reference')
    if (readsNone || tree.isConstant(value)) this.#constants.add(target)
    if (column) this.#constants.imply(column.key, target)
  }

  #equate(one: Node, other: Node, level: Level, isMany = false): void {
    const [left, right] = [this.#columnOf(one, level), this.#columnOf(other, level)]
    if (left && tree.isConstant(other)) this.#constants.add(left.key)
    if (right && tree.isConstant(one)) this.#constants.add(right.key)
    if (left && isMany) this.#many.add(left.key)
    if (!left || !right) return
    this.#joins.add(left.key, right.key)
    if ([left, right].every(({ source }) => isPlanned(source, level)))
      this.#constants.equalities.add(left.key, right.key)
  }

  #columnOf(value: Node, level: Level): Column | null {
    if (!value.ColumnRef) return null
    const fields = tree.fieldsOf(value.ColumnRef)
    const source = this.#sourceOf(fields, level)
    return source && this.#columnBehind(source, fields.at(-1)!)
  }

  /** Of a query's column the table's. */
  #columnBehind(source: Source, name: string): Column {
    const own = { source, key: `${source.key}.${name}` }
    const value = source.query && tree.expressionOf(source.query.node, name)
    if (value && tree.isConstant(value)) this.#constants.add(own.key)
    if (!value?.ColumnRef) return own
    const fields = tree.fieldsOf(value.ColumnRef)
    const inner = this.#sourceOf(fields, source.query!)
    return inner?.level === source.query ? { source, key: this.#columnBehind(inner!, fields.at(-1)!).key } : own
  }

  #sourceOf(fields: string[], level: Level): Source | null {
    for (let each: Level | null = level; each; each = each.outer) {
      const source = inLevel(fields, each)
      if (source) for (let inner = level; inner !== each; inner = inner.outer!) inner.correlations.push(source)
      if (source) return source
      // The columns of tables are not known here: a name alone is taken for one of theirs.
      if (fields.length === 1 && each.sources.values().some(({ table }) => table)) return null
    }
    return null
  }

  #addTable(node: Node, level: Level, isWritten: boolean): Source {
    const table = node.relname.replace(/_\d{8}$/, '') // a partition's is its table's
    const place = this.#placement[table] ?? (table.startsWith('pg_') ? 'unregistered' : undefined)
    if (!place) throw new Error(`${table} has no place`)
    const source = this.#addSource(node, level, { table, place })
    this.#found.push({ source, isWritten })
    return source
  }

  #addSource(node: Node, level: Level, source: Omit<Source, 'alias' | 'key' | 'level'>): Source {
    const alias = tree.aliasOf(node)
    const added = { ...source, alias, level, key: `${this.levels.indexOf(level)}.${alias}` }
    level.sources.set(alias, added)
    return added
  }
}

/** True if it is known while the level is planned: it is no column of an outer row. */
function isPlanned(source: Source, level: Level): boolean {
  return source.level === level || (level.as === 'joined' && isPlanned(source, level.outer!))
}

function inLevel(fields: string[], { sources }: Level): Source | undefined {
  if (fields.length > 1) return sources.get(fields.at(-2)!)
  const all = [...sources.values()]
  const known = all.find(({ columns }) => columns?.includes(fields[0]!))
  if (known || all.length === 1) return known ?? all.find(({ columns }) => !columns)
  return fields[0] === 'store_id' ? all.find(({ table }) => table && !['stores', 'plans'].includes(table)) : undefined
}
