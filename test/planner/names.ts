// What known.ts calls a statement.
import { placement } from '../../src/developer/tables.ts'
import { Reader } from './reader.ts'
import { brokenRules, type RuleName, type Volatility } from './rules.ts'
import { parse } from './tree.ts'

/** `update mails` or `select mails stores`: the verb, and the tables in their order. */
export function nameOf(text: string): string {
  const tree = parse(text)
  const { uses } = new Reader(tree, placement)
  const tables = uses
    .toSorted((one, other) => Number(isTarget(other)) - Number(isTarget(one)))
    .map(({ table }) => table)
  return [Object.keys(tree)[0]!.replace('Stmt', '').toLowerCase(), ...new Set(tables)].join(' ')
}

function isTarget({ isWritten, level }: Reader['uses'][number]): boolean {
  return isWritten && level.as === 'statement'
}

/** What a distributed database would refuse, and why: to ask all servers is no reason. */
export function breachesIn(statements: Iterable<string>, volatility: Volatility): Record<string, RuleName[]> {
  const breaches = [...statements].flatMap((text) => {
    const broken = brokenRules(text, placement, volatility).filter((rule) => rule !== 'store')
    return broken.length > 0 ? [[nameOf(text), broken] as const] : []
  })
  return Object.fromEntries(breaches)
}
