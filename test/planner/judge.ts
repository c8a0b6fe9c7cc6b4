// The rules that a statement breaks, by its text and by PostgreSQL's analysis of it.
import type pg from 'pg'
import { placement as currentPlacement } from '../../src/developer/tables.ts'
import { expressionRules, newAnalyst, type ExpressionRule } from './expressions.ts'
import type { Placement } from './reader.ts'
import { brokenRules, readStatement, rules as textRules, writesElsewhere, type RuleName as TextRule } from './rules.ts'

export type RuleName = TextRule | ExpressionRule

export const rules: Record<RuleName, { why: string }> = { ...textRules, ...expressionRules }

/** With `store` alone a statement works, but asks all servers. */
export type Judge = (text: string) => Promise<RuleName[]>

type Earlier = { placement?: Placement; volatile?: readonly string[] }

/** Judges statements for the database of `client`, or for an earlier one. */
export async function newJudge(
  client: pg.Client,
  { placement = currentPlacement, volatile = [] }: Earlier = {},
): Promise<Judge> {
  const { rows } = await client.query<{ name: string; isVolatile: boolean }>(`
    select proname as name, bool_or(provolatile = 'v') as "isVolatile"
    from pg_proc
    group by proname
    having bool_and(provolatile <> 'i')`)
  const namesOf = (isVolatile: boolean) => rows.filter((row) => row.isVolatile === isVolatile).map(({ name }) => name)
  const volatility = { stable: new Set(namesOf(false)), volatile: new Set([...namesOf(true), ...volatile]) }
  const analyze = await newAnalyst(client)
  return async (text) => {
    const statement = readStatement(text, placement)
    if (!statement) return []
    return [...brokenRules(statement, volatility), ...(writesElsewhere(statement) ? await analyze(text) : [])]
  }
}
