// What a distributed PostgreSQL (Citus) refuses to plan, one rule each.
import { Reader, type Level, type Placement, type Use } from './reader.ts'
import { fieldsOf, functionOf, has, isJoin, nodesOf, parse, rowsOf, type Node } from './tree.ts'

/** Names of functions that are not immutable. */
export type Volatility = { stable: ReadonlySet<string>; volatile: ReadonlySet<string> }

type Statement = { tree: Node; levels: Level[]; uses: Use[]; volatility: Volatility }

type Rule = {
  /** Why the database cannot do it. */
  why: string
  isBroken(statement: Statement): boolean
}

export const rules = {
  store: {
    why: 'Each table names its store by a constant: else all servers are asked, and all fail while one is away.',
    isBroken: ({ uses }) => open(uses).length > 0,
  },
  returning: {
    why: 'The server that writes also answers: it can neither look something up nor call what is not immutable.',
    isBroken: ({ levels, uses, volatility: { stable, volatile } }) =>
      written(levels, uses).some(
        ({ node: { returningClause: answer } }) =>
          has(answer, 'SubLink') || callsOf(answer).some((name) => stable.has(name) || volatile.has(name)),
      ),
  },
  'subselect inserted': {
    why: 'The values of a row decide where it goes, before any server is asked.',
    isBroken: ({ levels, uses }) =>
      written(levels, uses).some(({ node }) => rowsOf(node.selectStmt)?.some((row) => has(row, 'SubLink'))),
  },
  'insert from with': {
    why: 'An insert of selected rows is planned without what `with` names.',
    isBroken: ({ levels, uses }) =>
      written(levels, uses).some((level) => level.as === 'statement' && isSelected(level) && level.node.withClause),
  },
  'insert from stores': {
    why: 'Rows of all stores cannot be inserted by the server that they are on.',
    isBroken: ({ levels, uses }) => open(uses).length > 0 && written(levels, uses).some(isSelected),
  },
  join: {
    why: 'Tables of all stores are joined by store_id, each of them, or not at all.',
    isBroken({ uses }) {
      const together = distributed(uses).filter(({ level }) => isTogether(level))
      return open(together).length > 0 && new Set(together.map((use) => use.join)).size > 1
    },
  },
  'row by row': {
    why: 'A table of all stores cannot be asked again for each row of anything but another one.',
    isBroken: ({ levels, uses }) =>
      levels
        .filter(({ as, correlations }) => as !== 'joined' && correlations.some(({ place }) => place !== 'distributed'))
        .some((level) => open(uses).some((use) => isWithin(use.level, level))),
  },
  lock: {
    why: 'Rows are locked on one server: ids first, then one statement for each store.',
    isBroken: ({ tree, uses }) =>
      has(tree, 'LockingClause') && distributed(uses).some(({ isFixed, isMany }) => !isFixed || isMany),
  },
  recursion: {
    why: 'A recursive query stays on one server, that of its store.',
    isBroken: ({ tree, uses }) =>
      open(uses).length > 0 && nodesOf(tree, 'withClause').some(({ recursive }) => recursive),
  },
  ctid: {
    why: 'Each server counts its own: the row of another store may have the same.',
    isBroken: ({ tree, uses }) =>
      distributed(uses).length > 0 && nodesOf(tree, 'ColumnRef').some((column) => fieldsOf(column).at(-1) === 'ctid'),
  },
  'volatile update': {
    why: 'A changed row has copies, which must come out the same.',
    isBroken: ({ levels, uses, volatility }) =>
      written(levels, uses).some(
        ({ kind, node }) => kind === 'UpdateStmt' && callsOf(node).some((name) => volatility.volatile.has(name)),
      ),
  },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

const kinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']

/** The rules that a statement breaks. With `store` alone it works, but asks all servers. */
export function brokenRules(text: string, placement: Placement, volatility: Volatility): RuleName[] {
  const tree = parse(text)
  if (!Object.keys(tree).some((kind) => kinds.includes(kind))) return []
  const { levels, uses } = new Reader(tree, placement)
  const broken = Object.entries(rules).filter(([, rule]) => rule.isBroken({ tree, levels, uses, volatility }))
  return broken.map(([name]) => name as RuleName)
}

const distributed = (uses: Use[]): Use[] => uses.filter(({ place }) => place === 'distributed')

/** Of all stores. */
const open = (uses: Use[]): Use[] => distributed(uses).filter(({ isFixed }) => !isFixed)

/** Those that write a table that has rows, or copies, on other servers. */
const written = (levels: Level[], uses: Use[]): Level[] =>
  levels.filter((level) => uses.some((use) => use.level === level && use.isWritten && use.place !== 'local'))

/** True of `insert … select`. */
const isSelected = ({ node: { selectStmt } }: Level): boolean => !!selectStmt && !rowsOf(selectStmt)

const callsOf = (tree: unknown): string[] => nodesOf(tree, 'FuncCall').map(functionOf).toArray()

/** False of a query that the cluster asks beforehand, on its own. */
function isTogether({ as, node, outer, correlations }: Level): boolean {
  if (!outer) return as === 'statement'
  const isAlone = correlations.length === 0 && (as === 'condition' || !isJoin(node))
  return !isAlone && isTogether(outer)
}

function isWithin(level: Level | null, outer: Level): boolean {
  return level !== null && (level === outer || isWithin(level.outer, outer))
}
