// A whole store as one file, for another installation.
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import type { Command } from 'commander'
import { createStorage, type StorageSettings } from '../../commerce/media/storageconfig.ts'
import type { ArchiveSummary } from './archive.ts'
import type { LoadedStore } from './load.ts'
import type { ArchivedMember } from './members.ts'
import type { ArchiveDeps } from './write.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { invalid } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import { vault } from '../../kit/values/secrets.ts'
import { secretKeyFor } from '../../platform/postgres/canary.ts'
import { quote } from '../../platform/process/terminal.ts'
import type { ExtensionActions, ExtensionSession } from '../../tenancy/extensions/extension.ts'
import { archiveFaults } from './errors.ts'

/** The configuration that the commands read. */
export type ArchiveConfig = StorageSettings & { SECRET_KEY: string | null; NEW_STORE_PLAN: string }

/** Commands of `store`, which is there already. */
export function archiveCommands(program: Command, { irreversible }: ExtensionActions<ArchiveConfig>): void {
  const store = program.commands.find((command) => command.name() === 'store')!

  store
    .command('export <id>')
    .description('Write a whole store to a file, even while the server is running')
    .requiredOption('--output <file>', 'the file to write')
    .option('--passphrase-file <file>', 'include secrets, encrypted with the passphrase in this file')
    .addHelpText('after', passphraseHelp)
    .action(
      irreversible('writes a file', async (session, { output: file, passphraseFile }, id) => {
        // Running servers have priority.
        os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
        const deps = await buildArchiveDeps(session, passphraseFile)
        const { writeArchive } = await import('./write.ts')
        const summary = await writeArchive(deps, id!, file!)
        const has_secrets = deps.passphrase !== null
        const hint = has_secrets ? 'An import requires the passphrase.' : 'Secrets are not included.'
        const text = `Exported ${id} to ${file}: ${formatArchiveSize(summary)}. ${hint}`
        return { json: { id, file, ...summary, has_secrets }, text }
      }),
    )

  store
    .command('import <file>')
    .description('Import a store that another installation exported')
    .option('--passphrase-file <file>', 'the file with the passphrase of the export')
    .option('--plan <plan>', 'plan of the store (default: its own, or NEW_STORE_PLAN if that gives less)')
    .addHelpText('after', passphraseHelp)
    .action(
      irreversible('writes rows and image files', async (session, { passphraseFile, plan }, file) => {
        const most = session.config.NEW_STORE_PLAN
        if (plan === undefined && most === 'none') throw invalid(fault('plan', archiveFaults.plan_required))
        const policy = plan === undefined ? { most } : { chosen: plan }
        const deps = { ...(await buildArchiveDeps(session, passphraseFile)), now: session.db.clock.now(), plan: policy }
        const { loadArchive } = await import('./load.ts')
        const {
          members,
          webhooks_without_secret: hooks,
          payment_methods_without_secret: methods,
          ...loaded
        } = await loadArchive(deps, file!)
        const json = {
          ...loaded,
          members_to_add: members.map((member) => ({ ...member, command: addingCommand(loaded.store.id, member) })),
          webhooks_without_secret: hooks.map(({ id, url }) => ({ id: publicId('wh', id), url })),
          payment_methods_without_secret: methods.map(({ id, name }) => ({ id: publicId('pay', id), name })),
        }
        return { json, text: formatImported(json) }
      }),
    )
}

/** The command that adds a person as they were, for the operator to run or not. */
function addingCommand(storeId: string, { email, role, has_account }: ArchivedMember): string {
  const words = has_account ? ['add'] : ['create', '--password', 'PASSWORD']
  return ['npm run -s stoa -- user', ...words, '--email', quote(email), '--store', storeId, '--role', role].join(' ')
}

const passphraseHelp = `
The variable STOA_PASSPHRASE can have the passphrase instead.`

async function buildArchiveDeps({ url, config }: ExtensionSession<ArchiveConfig>, file?: string): Promise<ArchiveDeps> {
  const passphrase = file === undefined ? process.env.STOA_PASSPHRASE || null : await passphraseIn(file)
  return { url, storage: createStorage(config), vault: vault(await secretKeyFor(url, config)), passphrase }
}

async function passphraseIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw invalid(fault('passphrase_file', generalFaults.unreadable))
  })
  if (text.trim() === '') throw invalid(fault('passphrase_file', generalFaults.empty))
  return text.trimEnd()
}

type Imported = Omit<LoadedStore, 'members'> & { members_to_add: { command: string }[] }

function formatImported({ store, members_to_add: people, ...loaded }: Imported): string {
  const { webhooks_without_secret: webhooks, payment_methods_without_secret: methods } = loaded
  return [
    `Imported ${store.name}: ${store.id}, ${formatArchiveSize(loaded)}. Its plan is ${store.plan}.`,
    ...(people.length > 0 ? ['Nobody is in its team yet. These commands add the people who were:'] : []),
    ...people.map(({ command }) => `  ${command}`),
    ...webhooks.map(({ url }) => `The webhook for ${url} is off: rotate its secret, then turn it on`),
    ...methods.map(({ name }) => `The payment method ${name} is off: enter its secrets, then turn it on`),
  ].join('\n')
}

const formatArchiveSize = ({ rows, files }: ArchiveSummary) => `${rows} rows and ${files} image files`
