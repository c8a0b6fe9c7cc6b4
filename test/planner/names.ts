// What known.ts calls a statement.
import { placement } from '../../src/developer/tables.ts'
import { Reader } from './reader.ts'
import type { Judge, RuleName } from './judge.ts'
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
export async function breachesIn(statements: Iterable<string>, judge: Judge): Promise<Record<string, RuleName[]>> {
  const breaches: Record<string, RuleName[]> = {}
  for (const text of statements) {
    const broken = (await judge(text)).filter((rule) => rule !== 'store')
    if (broken.length > 0) breaches[nameOf(text)] = broken
  }
  return breaches
}
