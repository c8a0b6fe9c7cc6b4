// Imports a file: its preview first, and with --yes the import itself. Images are fetched by the server.
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import type { Database } from '../../../kit/database/database.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { invalid, tooLarge } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { maxFileBytes } from '../imports/file.ts'
import { importJob, newImport } from '../imports/import.ts'
import { createImport, startImport, storeFile } from '../imports/operations.ts'
import type { ImportKind } from '../imports/sources/source.ts'
import { requireStore, type Store } from '../../../tenancy/stores/store.ts'
import type { ExtensionActions } from '../../../tenancy/extensions/extension.ts'

export function importCommand(program: Command, { irreversible }: ExtensionActions<object>): void {
  program
    .command('import [file]')
    .description('Preview the import of a CSV, XLSX, ODS or JSONL file, or import it with --yes')
    .requiredOption('--store <id>', 'ID of the store')
    .option('--kind <kind>', 'products, customers, orders, discounts or redirects')
    .option('--source <name>', 'shopify, woocommerce, medusa, square or stoa (default: recognized by its columns)')
    .option('--on-duplicate <rule>', 'skip, update or reject what exists already', 'skip')
    .option('--sheet <name>', 'sheet of a workbook (default: the first visible one with rows)')
    .option('--encoding <name>', 'utf-8, utf-16le, utf-16be or windows-1252')
    .option('--mapping <json>', 'JSON object of column names and fields')
    .option('--yes', 'import it after the preview')
    .option('--continue <id>', 'continue an import whose process ended')
    .action(
      irreversible('previews the import instead', async ({ db }, options, file) => {
        const store = await requireStore({ db }, options.store!)
        const id = options.continue ?? (await upload(db, store, options, file))
        await workToEnd(db, store, id)
        if (options.yes) {
          const caller = { store, ...byCommand }
          await db.transaction((tx) => startImport(tx, caller, toUuid('imp', id)!))
          await workToEnd(db, store, id)
        }
        return readImportResult(db, store, id)
      }),
    )
}

const byCommand = { actor: { kind: 'command', id: 'import' } as const, scopes: new Set(scopes) }

function buildImportBody(
  { kind, source, onDuplicate, sheet, encoding, mapping }: Record<string, string | undefined>,
  file: string,
) {
  const values = { kind, source, on_duplicate: onDuplicate, sheet, encoding, mapping, file_name: path.basename(file) }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

async function upload(
  db: Database,
  store: Store,
  options: Record<string, string | undefined>,
  file: string | undefined,
): Promise<string> {
  if (file === undefined) throw invalid(fault('file', generalFaults.required))
  const body = newImport.read(buildImportBody(options, file), store)
  const { size } = await stat(file)
  if (size > maxFileBytes) throw tooLarge(maxFileBytes)
  const ofStore = db.ofStore(store.id)
  const bytes = await readFile(file)
  const read = await storeFile({ store, ...byCommand, body, file: { bytes, name: null }, db: ofStore, isDryRun: false })
  const { id } = await ofStore.transaction((tx) => createImport(tx, { store, ...byCommand }, body, read, false))
  return id
}

/** This process works on the import even if a server does too: each batch is of one of them. */
async function workToEnd(db: Database, store: Store, id: string): Promise<void> {
  const { workOn } = await import('../imports/job.ts')
  const seen = new Map()
  for (;;) {
    const state = await db.one<{ kind: ImportKind; status: 'previewing' | 'running'; position: number }>(sql`
      select kind, status, position
      from imports
      where store_id = ${store.id}
        and id = ${toUuid('imp', id)}
        and status in ('previewing', 'running')`)
    if (!state) return
    await workOn(db, { store_id: store.id, id: toUuid('imp', id)!, actor: byCommand.actor, ...state }, null, seen)
  }
}

async function readImportResult(db: Database, store: Store, id: string): Promise<{ json: object; text: string }> {
  const { entity } = await findRecord(db, importJob, store.id, toUuid('imp', id)!)
  const counts = Object.entries(entity).filter(([name, value]) => name.startsWith('rows_') && value !== 0)
  const lines = counts.map(([name, value]) => `${name.slice(5).replaceAll('_', ' ').padEnd(10)} ${value}`)
  const next = entity.status === 'ready' ? ['Run the command with --yes to import these rows'] : []
  return { json: entity, text: [`${entity.id}  ${entity.status}`, ...lines, ...next].join('\n') }
}
