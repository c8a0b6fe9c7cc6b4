// The columns of a file in the terms of a source.
import type { ColumnRule, FileSource } from './sources/source.ts'

export function normalizeColumnName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
}

/** `name`: the first of the column's names in the source. */
type KnownColumn = { name: string; rule: ColumnRule }

export type ColumnMatcher = (name: string) => KnownColumn | undefined

export function createColumnMatcher({ columns }: Pick<FileSource, 'columns'>, currency: string): ColumnMatcher {
  const exact = new Map<string, KnownColumn>()
  const patterns: { pattern: NamePattern; known: KnownColumn }[] = []
  for (const [key, rule] of Object.entries(columns)) {
    const names = key.split(' | ')
    const column = { name: names[0]!, rule }
    for (const name of names.map((one) => normalizeColumnName(one.replace('{currency}', currency)))) {
      if (!name.includes('{')) {
        if (!exact.has(name)) exact.set(name, column)
      } else patterns.push({ pattern: toPattern(name), known: column })
    }
  }
  return (name) => {
    const normal = normalizeColumnName(name)
    const known = exact.get(normal)
    if (known) return known
    for (const { pattern, known: column } of patterns) {
      const number = matchPattern(pattern, normal)
      if (number !== undefined) return { name: column.name, rule: withNumber(column.rule, number) }
    }
    return undefined
  }
}

/** The fixed texts of a name, and the kinds of what stands between them. */
type NamePattern = { texts: string[]; kinds: string[] }

function toPattern(name: string): NamePattern {
  const parts = name.split(/\{(\w+)\}/)
  return { texts: parts.filter((_, at) => at % 2 === 0), kinds: parts.filter((_, at) => at % 2 === 1) }
}

/** What stands in the first place of the pattern. */
function matchPattern({ texts, kinds }: NamePattern, name: string): string | undefined {
  if (!name.startsWith(texts[0]!) || !name.endsWith(texts.at(-1)!)) return undefined
  const filledNames: string[] = []
  let begin = texts[0]!.length
  for (const [at, kind] of kinds.entries()) {
    const next = texts[at + 1]!
    const end = at === kinds.length - 1 ? name.length - next.length : name.indexOf(next, begin + 1)
    const text = name.slice(begin, Math.max(begin, end))
    if (text === '' || (kind === 'n' && !/^\d{1,3}$/.test(text))) return undefined
    filledNames.push(text)
    begin = end + next.length
  }
  return filledNames[0]
}

function withNumber(rule: ColumnRule, number: string): ColumnRule {
  if (typeof rule === 'string') return rule.replace('{n}', number)
  return rule?.field ? { ...rule, field: rule.field.replace('{n}', number) } : rule
}
