// Describes a statement in a few words: `select products`, `insert events, insert deliveries`.
import { LRUCache } from 'lru-cache'

const labels = new LRUCache<string, string>({ max: 1000 })

export function labelStatement(text: string): string {
  const label = labels.get(text) ?? read(text)
  labels.set(text, label)
  return label
}

const verb = /\b(insert into|update|delete from)\s+([a-z_]+)/g
// Skips `for update of …`, `for update skip locked` and `do update set`.
const noTable = new Set(['set', 'skip', 'of'])

function read(text: string): string {
  const writes = [...text.matchAll(verb)].filter(([, , table]) => !noTable.has(table!))
  if (writes.length > 0) return writes.map(([, verb, table]) => `${verb!.split(' ')[0]} ${table}`).join(', ')
  if (text.includes('advisory')) return 'lock'
  const parts = new Set([...text.matchAll(/\b([a-z_]+) as (not )?(materialized )?\(/g)].map(([, name]) => name))
  const tables = [...text.matchAll(/\b(?:from|join) ([a-z_]+)\b(?!\()/g)].map(([, table]) => table!)
  const table = tables.find((name) => !parts.has(name) && name !== 'lateral')
  const [first = ''] = /[a-z]+/.exec(text) ?? []
  return (first === 'select' || first === 'with') && table ? `select ${table}` : first
}
