// Commands on the whole database.
import os from 'node:os'
import type { Command } from 'commander'
import { faultOfKey, secretKeyFor } from '../../platform/postgres/canary.ts'
import { findSecretKey, readSecretKey } from '../../platform/process/secretkey.ts'
import { freshReplica } from '../../platform/postgres/replicas.ts'
import { backup, restore } from '../../platform/postgres/backup.ts'
import { describeOrigin, verifyBackup, type BackupSummary } from '../../platform/postgres/backupreader.ts'
import { placement } from '../../developer/tables.ts'
import { migrateAndDistribute } from '../../platform/postgres/migrate.ts'
import { readServerNeeds } from '../../platform/postgres/suitability.ts'
import { openPictureBackup } from '../../commerce/media/backup.ts'
import { createStorage } from '../../commerce/media/storageconfig.ts'
import { vault } from '../../kit/values/secrets.ts'
import { buildBaseUrl, type Config } from '../config.ts'
import { checkExtensions } from '../extensions.ts'
import { diagnose } from './doctor.ts'
import { runCommand, readOnlyReason, type CommandActions } from './output.ts'
import { ownConfig, withDatabase } from './session.ts'

export function databaseCommands(program: Command, { irreversible }: CommandActions): void {
  demoCommand(program, irreversible)
  migrateCommand(program)
  backupCommand(program, irreversible)
  restoreCommand(program, irreversible)
  doctorCommand(program)
}

function demoCommand(program: Command, irreversible: CommandActions['irreversible']): void {
  program
    .command('demo')
    .description('Create a demo store with 30 days of orders')
    .action(
      irreversible('fills a new store in several transactions', async ({ config, url }) => {
        // Imported here because the demo takes longer to load than most commands take to run.
        const [{ createDemo }, { renderPictures }] = await Promise.all([
          import('../../demo/firststore.ts'),
          import('../../demo/renderer.ts'),
        ])
        const { isDistributed } = readServerNeeds(config)
        const {
          access: { key, signInLink },
          ...store
        } = await createDemo(url, {
          secretKey: await secretKeyFor(url, config),
          baseUrl: buildBaseUrl(config),
          isDistributed,
        })
        await renderPictures(url, createStorage(config), { isDistributed })
        const sign_in = `${config.AUTH_URL ?? buildBaseUrl(config)}/oauth/sign-in/${signInLink}`
        const text =
          `Created ${store.name}: ${store.id}\nAPI key (won't be shown again): ${key}\n` +
          `Sign in as its owner (works once): ${sign_in}`
        return { json: { store, key, sign_in }, text }
      }),
    )
}

function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Apply pending database migrations')
    .option('--distribute', 'distribute the tables over the nodes of a Citus coordinator')
    .action(({ distribute = false }: { distribute?: boolean }) =>
      runCommand(program, 'changes tables', () =>
        withDatabase(async (_config, { url }) => {
          const tell = (sentence: string) => void (program.opts().json || process.stderr.write(`${sentence}\n`))
          const { applied, moved } = await migrateAndDistribute(url, placement, {
            distributes: distribute,
            onWait: () => tell(waitingForTurn),
            onBlocked: tell,
          })
          const off = (await checkExtensions(url)).filter(({ ok }) => !ok)
          const lines = [
            ...(applied.length > 0 ? [`Applied ${applied.join(', ')}`] : []),
            ...(moved.length > 0 ? [`Distributed ${moved.join(', ')}`] : []),
            ...off.map(({ name, detail }) => `The extension ${name}: ${detail}`),
          ]
          const json = { applied, distributed: moved, ...(off.length > 0 ? { extensions: off } : {}) }
          const text = lines.join('\n') || 'The database is up to date'
          return { json, text, failed: off.length > 0 }
        }),
      ),
    )
}

const waitingForTurn = 'Another migration of this database is running. Waiting for it to finish'

function backupCommand(program: Command, irreversible: CommandActions['irreversible']): void {
  const command = program.command('backup <file>')
  command.description('Write a consistent backup to a file, even while the server is running').action(
    irreversible('writes a file', async ({ config, url }, _options, file) => {
      // Running servers have priority.
      os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
      const inBucket = config.MEDIA_S3_URL !== null
      const pictures = inBucket ? null : openPictureBackup(createStorage(config))
      const seal = await sealWith(config)
      const write = (from: string) => backup(from, file!, seal, pictures)
      const replica = await freshReplica(url, config.DATABASE_REPLICA_URL)
      // A replica cancels a long read that hinders its replay.
      const summary = replica ? await write(replica).catch(() => write(url)) : await write(url)
      const hint = inBucket ? '\nImages are not included: back up the bucket MEDIA_S3_URL separately.' : ''
      const text = `Wrote ${formatBackupSize(summary)} to ${file}. ${keyHint(config)}${hint}`
      return { json: { file, ...summary, pictures_in_bucket: inBucket }, text }
    }),
  )
  command
    .command('verify <file>')
    .description('Read a backup completely, without restoring it')
    .action((file: string) =>
      runCommand(program, readOnlyReason, async () => {
        const { header, ...summary } = await verifyBackup(file)
        const fits = await canOpen(ownConfig(), header.seal)
        const { made_at, version, build } = header
        const size = formatBackupSize(summary)
        const text = `${file} is complete: ${size}, backed up at ${made_at} by version ${describeOrigin(header)}.`
        return {
          json: { file, ...summary, made_at, version, build, key_fits: fits },
          text: fits ? text : `${text}\n${wrongKey}`,
        }
      }),
    )
}

function restoreCommand(program: Command, irreversible: CommandActions['irreversible']): void {
  program
    .command('restore <file>')
    .description('Restore a backup into an empty database')
    .action(
      irreversible('fills an empty database', async ({ config, url }, _options, file) => {
        const { seal, ...summary } = await restore(url, file!, openPictureBackup(createStorage(config)))
        const fault = await faultOfKey(url, config).catch(({ message }: Error) => message)
        const fits = fault === null ? await canOpen(config, seal) : fault === ''
        const hint = fits ? '' : `\n${fault ?? wrongKey}`
        const text = `Restored ${formatBackupSize(summary)} from ${file}.${hint}`
        return { json: { file, ...summary, key_fits: fits }, text }
      }),
    )
}

function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check the installation for problems')
    .action(() => runCommand(program, readOnlyReason, () => withDatabase(diagnose, diagnose)))
}

function formatBackupSize({ rows, tables, files }: Pick<BackupSummary, 'rows' | 'tables' | 'files'>): string {
  return `${rows} rows of ${tables} tables and ${files} image files`
}

const sealPurpose = 'backup'
const wrongKey = 'The stored secrets require the SECRET_KEY of the installation that was backed up.'

async function sealWith(config: Config): Promise<string> {
  return vault(config.SECRET_KEY ?? (await readSecretKey(config.DATA_DIR))).seal('stoa', sealPurpose)
}

/** Never makes a key. */
async function canOpen(config: Config, seal: string): Promise<boolean> {
  const key = config.SECRET_KEY ?? (await findSecretKey(config.DATA_DIR))
  try {
    return key !== null && vault(key).open(seal, sealPurpose) === 'stoa'
  } catch {
    return false
  }
}

function keyHint({ SECRET_KEY, DATA_DIR }: Config): string {
  return SECRET_KEY ? 'Back up SECRET_KEY, too.' : `Back up ${DATA_DIR}/secret.key, too.`
}
