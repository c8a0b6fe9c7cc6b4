// Exports a list of a store: to a file, or to the standard output for another program.
import { createWriteStream, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { exportForShopify, exportList } from '../exports/export.ts'
import { formats } from '../exports/row.ts'
import { shopifyKinds } from '../exports/shopify.ts'
import { kinds } from '../imports/sources/source.ts'
import type { ExtensionActions } from '../../../tenancy/extensions/extension.ts'
import { requireStore } from '../../../tenancy/stores/store.ts'

export function exportCommand(program: Command, { read }: ExtensionActions<object>): void {
  program
    .command('export <kind>')
    .description('Export products, customers, orders, discounts or redirects as a file that an import reads')
    .requiredOption('--store <id>', 'ID of the store')
    .option('--format <format>', 'csv, jsonl, xlsx, or shopify for its columns', 'csv')
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(
      read(async ({ db }, { store: id, format: typedFormat, output }, typedKind) => {
        const kind = requireChoice('kind', kinds, typedKind!)
        const format = requireChoice('format', [...formats, 'shopify'] as const, typedFormat!)
        const call = { db, store: await requireStore({ db }, id!), query: { status: 'all' } }
        const rows = Readable.from(
          format === 'shopify'
            ? exportForShopify(requireChoice('kind', shopifyKinds, kind), call)
            : exportList(kind, format, call),
        )
        if (output === undefined) {
          await pipeline(rows, process.stdout, { end: false })
          return { json: {}, text: '', isPrinted: true }
        }
        await writeWhole(rows, output)
        return { json: { kind, format, file: output }, text: `Exported the ${kind} to ${output}` }
      }),
    )
}

function requireChoice<V extends string>(field: string, choices: readonly V[], input: string): V {
  const choice = choices.find((one) => one === input)
  if (choice === undefined) throw invalid(fault(field, generalFaults.not_one_of, { choices: choices.join(', ') }))
  return choice
}

/** The file appears whole, readable only by its owner. */
async function writeWhole(rows: Readable, file: string): Promise<void> {
  const draft = `${file}.draft-${process.pid}`
  try {
    await pipeline(rows, createWriteStream(draft, { mode: 0o600, flush: true }))
    await rename(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
