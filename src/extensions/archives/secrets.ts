// Columns that are sealed with the key of the installation. Archives seal them with a passphrase, or lack them.
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { vault, type Vault } from '../../kit/values/secrets.ts'
import type { Replacements } from '../../platform/postgres/storerows.ts'
import type { TableColumns } from '../../platform/postgres/tables.ts'
import type { SealedMarks } from '../../tenancy/tables/table.ts'
import { tables } from '../../developer/tables.ts'
import { linesIn, nullCell, unescapeCell, wholeLines } from './lines.ts'

/** By table: the values that an archive without secrets has in columns that need them. */
export const withoutSecrets: Replacements = Object.fromEntries(
  tables.flatMap(({ name, store }) => (store?.sealed ? [[name, store.sealed.without]] : [])),
)

export type Keys = { from: Vault; to: Vault }

/** The rows with their sealed columns sealed for `to`. A text that doesn't open is left out. */
export function reseal(rows: AsyncIterable<Buffer>, table: TableColumns, keys: Keys): AsyncIterable<Buffer> {
  const marks = tables.find(({ name }) => name === table.table)?.store?.sealed
  return marks ? resealRows(rows, table.columns, marks, keys) : rows
}

async function* resealRows(
  rows: AsyncIterable<Buffer>,
  names: string[],
  { columns, context, blank }: SealedMarks,
  { from, to }: Keys,
): AsyncGenerator<Buffer> {
  const own = columns.map((column) => names.indexOf(column))
  const resealedLine = (line: string) => {
    const cells = line.split('\t')
    const isSealed = (at: number) => cells[at] !== nullCell && cells[at] !== ''
    if (!own.some(isSealed)) return line
    const at = context(Object.fromEntries(names.map((name, index) => [name, unescapeCell(cells[index]!)])))
    for (const index of own.filter(isSealed)) {
      const text = openSealedText(from, cells[index]!, at)
      cells[index] = text === null ? blanks[blank] : to.seal(text, at)
    }
    return cells.join('\t')
  }
  for await (const chunk of wholeLines(rows)) {
    const lines = [...linesIn(chunk)].map((line) => `${resealedLine(line.toString())}\n`)
    yield Buffer.from(lines.join(''))
  }
}

const blanks = { empty: '', null: nullCell }

function openSealedText(from: Vault, ciphertext: string, place: string): string | null {
  try {
    return from.open(ciphertext, place)
  } catch {
    return null
  }
}

// RFC 7914 §2; 64 MiB of memory.
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }
const derive = promisify<string, string, number, typeof cost, Buffer>(scrypt)

/** Seals the same text alike each time, so that the same store is the same file. */
export async function passphraseVault(passphrase: string, storeId: string): Promise<Vault> {
  const key = await derive(passphrase.normalize('NFKC'), `stoa store ${storeId}`, 32, cost)
  return vault(key.toString('hex'), { isRepeatable: true })
}

const place = 'archive'
const text = 'stoa'

export const sealCheckText = (vault: Vault): string => vault.seal(text, place)

export const canOpen = (vault: Vault, seal: string): boolean => openSealedText(vault, seal, place) === text
