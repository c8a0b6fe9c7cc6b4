// Commands on the whole database.
import os from 'node:os'
import type { Command } from 'commander'
import { faultOfKey, secretKeyFor } from '../platform/postgres/canary.ts'
import { readSecretKey } from '../platform/process/secretkey.ts'
import { backup, restore, type BackupSummary } from '../platform/postgres/backup.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { picturesOf } from '../commerce/media/backup.ts'
import { storageOf } from '../commerce/media/storageconfig.ts'
import { vault } from '../kit/values/secrets.ts'
import { baseUrlOf, type Config } from '../config.ts'
import { diagnose } from './doctor.ts'
import { runCommand, readOnlyReason, type CommandActions } from './output.ts'
import { withDatabase } from './session.ts'

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
    .description('Make a demo store with 30 days of orders')
    .action(
      irreversible('fills a store of its own, piece by piece', async ({ config, url }) => {
        // Imported here because the demo takes longer to load than most commands take to run.
        const [{ createDemo }, { renderPictures }] = await Promise.all([
          import('../demo/firststore.ts'),
          import('../demo/renderer.ts'),
        ])
        const {
          access: { key, signInLink },
          ...store
        } = await createDemo(url, { secretKey: await secretKeyFor(url, config), baseUrl: baseUrlOf(config) })
        await renderPictures(url, storageOf(config))
        const sign_in = `${config.AUTH_URL ?? baseUrlOf(config)}/oauth/sign-in/${signInLink}`
        const text =
          `Made ${store.name}: ${store.id}\nA key, shown only now: ${key}\n` + `Signs its owner in, once: ${sign_in}`
        return { json: { store, key, sign_in }, text }
      }),
    )
}

function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date')
    .action(() =>
      runCommand(program, 'changes tables', () =>
        withDatabase(async (_config, { url }) => {
          const applied = await migrate(url)
          return { json: { applied }, text: applied.length > 0 ? `Applied ${applied.join(', ')}` : 'Nothing to do' }
        }),
      ),
    )
}

function backupCommand(program: Command, irreversible: CommandActions['irreversible']): void {
  program
    .command('backup <file>')
    .description('Write everything into one file, at one moment, beside a running server')
    .action(
      irreversible('writes a file', async ({ config, url }, _options, file) => {
        // Running servers have priority.
        os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
        const inBucket = config.MEDIA_S3_URL !== null
        const pictures = inBucket ? null : picturesOf(storageOf(config))
        const summary = await backup(url, file!, await sealWith(config), pictures)
        const hint = inBucket ? '\nThe pictures are in the bucket MEDIA_S3_URL alone: keep a copy of it as well.' : ''
        const text = `Wrote ${sizeOf(summary)} to ${file}. ${keyHint(config)}${hint}`
        return { json: { file, ...summary, pictures_in_bucket: inBucket }, text }
      }),
    )
}

function restoreCommand(program: Command, irreversible: CommandActions['irreversible']): void {
  program
    .command('restore <file>')
    .description('Read a backup into an empty database')
    .action(
      irreversible('fills an empty database', async ({ config, url }, _options, file) => {
        const { seal, ...summary } = await restore(url, file!, picturesOf(storageOf(config)))
        const fault = await faultOfKey(url, config).catch(({ message }: Error) => message)
        const fits = fault === null ? await canOpen(config, seal) : fault === ''
        const hint = fits
          ? ''
          : `\n${fault ?? 'The stored secrets need the key of the installation that was backed up.'}`
        const text = `Read ${sizeOf(summary)} from ${file}.${hint}`
        return { json: { file, ...summary, key_fits: fits }, text }
      }),
    )
}

function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Look whether everything is as it should be')
    .action(() => runCommand(program, readOnlyReason, () => withDatabase(diagnose, diagnose)))
}

function sizeOf({ rows, tables, files }: Pick<BackupSummary, 'rows' | 'tables' | 'files'>): string {
  return `${rows} rows of ${tables} tables and ${files} files of pictures`
}

const sealPurpose = 'backup'

async function keyOf(config: Config): Promise<string> {
  return config.SECRET_KEY ?? readSecretKey(config.DATA_DIR)
}

async function sealWith(config: Config): Promise<string> {
  return vault(await keyOf(config)).seal('stoa', sealPurpose)
}

async function canOpen(config: Config, seal: string): Promise<boolean> {
  try {
    return vault(await keyOf(config)).open(seal, sealPurpose) === 'stoa'
  } catch {
    return false
  }
}

function keyHint({ SECRET_KEY, DATA_DIR }: Config): string {
  return SECRET_KEY ? 'Keep SECRET_KEY with it.' : `Keep ${DATA_DIR}/secret.key with it.`
}
