// Columns that are sealed with the key of the installation. Archives seal them with a passphrase, or lack them.
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { placeOf as placeOfResponse } from '../../kit/declare/idempotency.ts'
import { publicId } from '../../kit/values/ids.ts'
import { vault, type Vault } from '../../kit/values/secrets.ts'
import { sealContext as placeOfSettings } from '../../money/payments/settings.ts'
import type { Replacements } from '../../platform/postgres/copyrows.ts'
import type { TableColumns } from '../../platform/postgres/tables.ts'
import { sealContext as placeOfLink } from '../../storefront/checkout/link.ts'
import { placeOf as placeOfSecret } from '../webhooks/secrets.ts'
import { linesIn, nullCell, textOf, wholeLines } from './lines.ts'

type SealedColumns = {
  columns: string[]
  place(row: Record<string, string>): string
  /** The cell of a text that does not open. */
  blank: string
}

/** By table. */
// prettier-ignore
const sealedColumns: Record<string, SealedColumns> = {
  webhooks:         { columns: ['secret', 'previous_secret'], blank: '',
                      place: (row) => placeOfSecret(row.store_id!, row.id!) },
  payment_methods:  { columns: ['secrets'], blank: nullCell,
                      place: (row) => placeOfSettings(row.store_id!, row.id!) },
  checkouts:        { columns: ['token'], blank: nullCell,
                      place: (row) => placeOfLink(row.store_id!, publicId('chk', row.id!)) },
  idempotency_keys: { columns: ['body'], blank: nullCell,
                      place: (row) => placeOfResponse(row.store_id!, row.credential!, row.key!) },
}

/** Webhooks and payment methods that lose their secrets are turned off. A setting that is "set" is a secret. */
export const withoutSecrets: Replacements = {
  webhooks: {
    secret: `''`,
    previous_secret: 'null',
    is_active: 'false',
    disabled_at: 'coalesce(disabled_at, updated_at)',
    disabled_reason: `coalesce(disabled_reason, 'manual')`,
  },
  payment_methods: {
    secrets: 'null',
    is_active: 'is_active and secrets is null',
    settings: `case when secrets is null then settings else coalesce((
      select json_object_agg(own.key, own.value)
      from json_each(settings) as own
      where own.value #>> '{}' <> 'set'), '{}') end`,
  },
  checkouts: { token: 'null' },
  idempotency_keys: { body: 'null' },
}

export type Keys = { from: Vault; to: Vault }

/** The rows with their sealed columns sealed for `to`. A text that doesn't open is left out. */
export function reseal(rows: AsyncIterable<Buffer>, table: TableColumns, keys: Keys): AsyncIterable<Buffer> {
  const sealed = sealedColumns[table.table]
  return sealed ? resealed(rows, table.columns, sealed, keys) : rows
}

async function* resealed(
  rows: AsyncIterable<Buffer>,
  names: string[],
  { columns, place, blank }: SealedColumns,
  { from, to }: Keys,
): AsyncGenerator<Buffer> {
  const own = columns.map((column) => names.indexOf(column))
  const resealedLine = (line: string) => {
    const cells = line.split('\t')
    const isSealed = (at: number) => cells[at] !== nullCell && cells[at] !== ''
    if (!own.some(isSealed)) return line
    const at = place(Object.fromEntries(names.map((name, index) => [name, textOf(cells[index]!)])))
    for (const index of own.filter(isSealed)) {
      const text = opened(from, cells[index]!, at)
      cells[index] = text === null ? blank : to.seal(text, at)
    }
    return cells.join('\t')
  }
  for await (const chunk of wholeLines(rows)) {
    const lines = [...linesIn(chunk)].map((line) => `${resealedLine(line.toString())}\n`)
    yield Buffer.from(lines.join(''))
  }
}

function opened(from: Vault, sealed: string, place: string): string | null {
  try {
    return from.open(sealed, place)
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

export const sealOf = (vault: Vault): string => vault.seal(text, place)

export const canOpen = (vault: Vault, seal: string): boolean => opened(vault, seal, place) === text
