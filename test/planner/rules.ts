// What a distributed PostgreSQL (Citus) refuses to plan, one rule each.
import { Reader, type Level, type Placement, type Use } from './reader.ts'
import { fieldsOf, functionOf, has, isJoin, nodesOf, parse, rowsOf, type Node } from './tree.ts'

/** Names of functions that are not immutable. */
export type Volatility = { stable: ReadonlySet<string>; volatile: ReadonlySet<string> }

export type Statement = { tree: Node; levels: Level[]; uses: Use[] }
type Judged = Statement & { volatility: Volatility }

type Rule = {
  /** Why the database cannot do it. */
  why: string
  isBroken(statement: Judged): boolean
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
    why: 'Each server counts its own: the row of another store may have the same. No `with` hands it on either.',
    isBroken: ({ tree, uses }) =>
      (distributed(uses).length > 0 || has(tree, 'withClause')) &&
      nodesOf(tree, 'ColumnRef').some((column) => fieldsOf(column).at(-1) === 'ctid'),
  },
  'target without alias': {
    why: 'An insert of selected rows is sent on under the name of a part, unless it has one of its own.',
    isBroken: ({ levels, uses }) =>
      written(levels, uses).some(
        (level) =>
          isSelected(level) &&
          !level.node.relation.alias &&
          has(level.node.selectStmt.SelectStmt.targetList, 'SubLink') &&
          [level.node.returningClause, level.node.onConflictClause].some((part) =>
            nodesOf(part, 'ColumnRef').some((column) => fieldsOf(column).at(-2) === level.node.relation.relname),
          ),
      ),
  },
  'write in with': {
    why: 'What a `with` writes is written over connections to all servers: it fails while one of them is away.',
    isBroken: ({ levels, uses }) => written(levels, uses).some(({ as }) => as === 'with'),
  },
  'arm without from': {
    why: 'A part of a union of all servers that reads no table is on none of them.',
    isBroken: ({ levels, uses }) =>
      open(uses).length > 0 &&
      levels.some(({ node, outer, correlations }) => outer?.node.larg && !node.fromClause && correlations.length > 0),
  },
  'beside local': {
    why: 'A table of the first server is not looked up beside those of all servers.',
    isBroken: ({ uses }) =>
      open(uses).length > 0 && uses.some(({ place, level }) => place === 'local' && level.as === 'expression'),
  },
  'look-ups apart': {
    why: 'What reads no table itself is on no server: look-ups on all of them are statements of their own.',
    isBroken: ({ levels, uses }) =>
      levels.some(
        ({ as, kind, node }) => as === 'statement' && kind === 'SelectStmt' && !node.fromClause && !node.larg,
      ) && new Set(open(uses).map(({ table }) => table)).size > 1,
  },
  truncate: {
    why: 'All servers empty a table together, even one of the first server: none does while one is away.',
    isBroken: ({ tree, uses }) => 'TruncateStmt' in tree && uses.some(({ place }) => place !== 'unregistered'),
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

const kinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'TruncateStmt']

/** Null of a statement that touches no rows. */
export function readStatement(text: string, placement: Placement): Statement | null {
  const tree = parse(text)
  if (!Object.keys(tree).some((kind) => kinds.includes(kind))) return null
  return { tree, ...new Reader(tree, placement) }
}

export function brokenRules(statement: Statement, volatility: Volatility): RuleName[] {
  const broken = Object.entries(rules).filter(([, rule]) => rule.isBroken({ ...statement, volatility }))
  return broken.map(([name]) => name as RuleName)
}

/** True if the whole statement writes a table that has rows, or copies, on other servers. */
export function writesElsewhere({ levels, uses }: Statement): boolean {
  return written(levels, uses).some(({ as }) => as === 'statement')
}

const distributed = (uses: Use[]): Use[] => uses.filter(({ place }) => place === 'distributed')

/** Of all stores. */
const open = (uses: Use[]): Use[] => distributed(uses).filter(({ isFixed }) => !isFixed)

/** Those that write a table that has rows, or copies, on other servers. */
const written = (levels: Level[], uses: Use[]): Level[] =>
  levels.filter((level) => uses.some((use) => use.level === level && use.isWritten && isElsewhere(use)))

const isElsewhere = ({ place }: Use): boolean => place === 'distributed' || place === 'reference'

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
