// Commands on the whole database.
import os from 'node:os'
import type { Command } from 'commander'
import { faultOfKey, secretKeyFor } from '../platform/postgres/canary.ts'
import { readSecretKey } from '../platform/process/secretkey.ts'
import { backup, restore, type Summary } from '../platform/postgres/backup.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { picturesOf } from '../commerce/media/backup.ts'
import { storageOf } from '../commerce/media/place.ts'
import { vault } from '../kit/values/secrets.ts'
import { baseUrlOf, type Config } from '../config.ts'
import { examine } from './doctor.ts'
import { finish, looksOnly, type Actions } from './output.ts'
import { withDatabase } from './session.ts'

export function databaseCommands(program: Command, { act }: Actions): void {
  demoCommand(program, act)
  migrateCommand(program)
  backupCommand(program, act)
  restoreCommand(program, act)
  doctorCommand(program)
}

function demoCommand(program: Command, act: Actions['act']): void {
  program
    .command('demo')
    .description('Make a demo store with 30 days of orders')
    .action(
      act('fills a store of its own, piece by piece', async ({ config, url }) => {
        // Only when asked for: what the demo is made of takes longer to load than most commands to run.
        const [{ makeDemoToEnter }, { hangPictures }] = await Promise.all([
          import('../demo/firststore.ts'),
          import('../demo/hang.ts'),
        ])
        const {
          first: { key, signInLink },
          ...store
        } = await makeDemoToEnter(url, { secretKey: await secretKeyFor(url, config), baseUrl: baseUrlOf(config) })
        await hangPictures(url, storageOf(config))
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
      finish(program, 'changes tables', () =>
        withDatabase(async (_config, { url }) => {
          const applied = await migrate(url)
          return { json: { applied }, text: applied.length > 0 ? `Applied ${applied.join(', ')}` : 'Nothing to do' }
        }),
      ),
    )
}

function backupCommand(program: Command, act: Actions['act']): void {
  program
    .command('backup <file>')
    .description('Write everything into one file, at one moment, beside a running server')
    .action(
      act('writes a file', async ({ config, url }, _options, file) => {
        // The servers beside it come first.
        os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
        const inBucket = config.MEDIA_S3_URL !== null
        const pictures = inBucket ? null : picturesOf(storageOf(config))
        const written = await backup(url, file!, await sealWith(config), pictures)
        const hint = inBucket ? '\nThe pictures are in the bucket MEDIA_S3_URL alone: keep a copy of it as well.' : ''
        const text = `Wrote ${sizeOf(written)} to ${file}. ${keepKey(config)}${hint}`
        return { json: { file, ...written, pictures_in_bucket: inBucket }, text }
      }),
    )
}

function restoreCommand(program: Command, act: Actions['act']): void {
  program
    .command('restore <file>')
    .description('Read a backup into an empty database')
    .action(
      act('fills an empty database', async ({ config, url }, _options, file) => {
        const { seal, ...read } = await restore(url, file!, picturesOf(storageOf(config)))
        const fault = await faultOfKey(url, config).catch(({ message }: Error) => message)
        const fits = fault === null ? await opens(config, seal) : fault === ''
        const hint = fits
          ? ''
          : `\n${fault ?? 'The stored secrets need the key of the installation that was backed up.'}`
        const text = `Read ${sizeOf(read)} from ${file}.${hint}`
        return { json: { file, ...read, key_fits: fits }, text }
      }),
    )
}

function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Look whether everything is as it should be')
    .action(() => finish(program, looksOnly, () => withDatabase(examine, examine)))
}

function sizeOf({ rows, tables, files }: Pick<Summary, 'rows' | 'tables' | 'files'>): string {
  return `${rows} rows of ${tables} tables and ${files} files of pictures`
}

const place = 'backup'

async function keyOf(config: Config): Promise<string> {
  return config.SECRET_KEY ?? readSecretKey(config.DATA_DIR)
}

async function sealWith(config: Config): Promise<string> {
  return vault(await keyOf(config)).seal('stoa', place)
}

async function opens(config: Config, seal: string): Promise<boolean> {
  try {
    return vault(await keyOf(config)).open(seal, place) === 'stoa'
  } catch {
    return false
  }
}

function keepKey({ SECRET_KEY, DATA_DIR }: Config): string {
  return SECRET_KEY ? 'Keep SECRET_KEY with it.' : `Keep ${DATA_DIR}/secret.key with it.`
}
