// A statement as PostgreSQL's own parser understands it.
import { loadModule, parseSync } from 'libpg-query'

await loadModule()

/** Of the parser, e.g. { SelectStmt: { … } }. */
export type Node = Record<string, any>

export const parse = (text: string): Node => parseSync(text).stmts?.[0]?.stmt as Node

/** Every node of this kind, e.g. each FuncCall; without those inside nodes of the kinds `except`. */
export function* nodesOf(tree: unknown, kind: string, except: readonly string[] = []): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  for (const [key, value] of Object.entries(tree)) {
    if (except.includes(key)) continue
    if (key === kind) yield value
    yield* nodesOf(value, kind, except)
  }
}

export const has = (tree: unknown, kind: string): boolean => !nodesOf(tree, kind).next().done

/** The subselects of expressions, without those inside them. */
export function* subselectsOf(tree: unknown): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  for (const [key, value] of Object.entries(tree)) {
    if (key === 'SubLink') yield value
    else if (key !== 'RangeSubselect' && (key !== 'selectStmt' || rowsOf(value))) yield* subselectsOf(value)
  }
}

/** `a.b` is ['a', 'b']; `*` is left out. */
export const fieldsOf = ({ fields }: Node): string[] =>
  fields.flatMap(({ String: field }: Node) => (field ? [field.sval] : []))

export const functionOf = ({ funcname }: Node): string => funcname.at(-1).String.sval

/** What a table, a query or a function in `from` is called. */
export const aliasOf = (node: Node): string => node.alias?.aliasname ?? node.relname ?? ''

/** What follows `values`. */
export const rowsOf = (select: Node | undefined): Node[][] | undefined =>
  select?.SelectStmt?.valuesLists?.map(({ List: { items } }: Node) => items)

/** The conditions that are joined by `and`. */
export function conjunctsOf(condition: Node | undefined): Node[] {
  if (!condition) return []
  const { BoolExpr: all } = condition
  return all?.boolop === 'AND_EXPR' ? all.args.flatMap(conjunctsOf) : [condition]
}

/** The two sides of `a = b`. */
export function equationOf({ A_Expr: one }: Node): [Node, Node] | null {
  return one?.kind === 'AEXPR_OP' && one.name.at(-1).String.sval === '=' && one.lexpr ? [one.lexpr, one.rexpr] : null
}

/** What `using (store_id, …)` says. */
export function equalStores(one: string, other: string): Node {
  const [lexpr, rexpr] = [one, other].map((alias) => ({ ColumnRef: { fields: [string(alias), string('store_id')] } }))
  return { A_Expr: { kind: 'AEXPR_OP', name: [string('=')], lexpr, rexpr } }
}

const string = (sval: string): Node => ({ String: { sval } })

/** The two sides of `a = any($1)`. */
export function membershipOf({ A_Expr: one }: Node): [Node, Node] | null {
  return one?.kind === 'AEXPR_OP_ANY' && isConstant(one.rexpr) ? [one.lexpr, one.rexpr] : null
}

/** True of a parameter or a constant, whatever it is cast to. */
export function isConstant(value: Node | undefined): boolean {
  return (
    !!value && ('ParamRef' in value || 'A_Const' in value || ('TypeCast' in value && isConstant(value.TypeCast.arg)))
  )
}

/** The columns that a query gives. */
export const outputsOf = ({ targetList, returningClause, larg }: Node): (string | undefined)[] =>
  larg ? outputsOf(larg) : (targetList ?? returningClause?.exprs ?? []).map(outputOf)

/** The expression behind a column of a query. */
export const expressionOf = ({ targetList }: Node, column: string): Node | undefined =>
  targetList?.find((target: Node) => outputOf(target) === column)?.ResTarget.val

function outputOf({ ResTarget: { name, val } }: Node): string | undefined {
  return name ?? (val?.ColumnRef && fieldsOf(val.ColumnRef).at(-1))
}

const aggregates = /^(count|sum|min|max|avg|\w+_agg|bool_and|bool_or|every)$/
const cuts = [
  'limitCount',
  'limitOffset',
  'groupClause',
  'havingClause',
  'distinctClause',
  'withClause',
  'valuesLists',
  'lockingClause',
]

/** True of a select that is no more than a join: it counts nothing and cuts nothing off. */
export function isJoin(select: Node): boolean {
  if (select.op !== 'SETOP_NONE' || !select.fromClause || cuts.some((part) => part in select)) return false
  return !nodesOf(select.targetList, 'FuncCall', ['SubLink']).some(
    (call) => call.over || aggregates.test(functionOf(call)),
  )
}
