// A primary that streams its log, and replicas of it: a copy of its data directory that follows.
import { chown, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres, type Postgres } from '../src/platform/postgres/postgres.ts'
import { newDataDir } from './server.ts'

/** Hooks run in reverse. */
type Hooks = { after(hook: () => Promise<void>): void }

const streaming = { wal_level: 'replica', max_wal_senders: '8', wal_keep_size: '256MB', shared_buffers: '64MB' }

export type Primary = Postgres & { dataDir: string }

export type Replica = Primary & { restart(): Promise<void> }

export async function startPrimary(t: Hooks): Promise<Primary> {
  const dataDir = await newDataDir(t)
  const postgres = await startPostgres({ dataDir, settings: streaming })
  t.after(() => postgres.stop())
  await migrate(postgres.url)
  return { ...postgres, dataDir }
}

export async function startReplica(t: Hooks, primary: Primary): Promise<Replica> {
  const dataDir = await newDataDir(t)
  const directory = path.join(dataDir, 'postgres')
  const client = await connectTo(primary.url)
  try {
    await client.query(`select pg_backup_start('replica', true)`)
    // Keeps the owner, as whom PostgreSQL runs. Files may vanish meanwhile: the log makes up for them.
    const { stderr } = spawnSync('cp', ['-a', path.join(primary.dataDir, 'postgres'), directory], { encoding: 'utf8' })
    const faults = stderr.split('\n').filter((line) => line && !line.endsWith('No such file or directory'))
    if (faults.length > 0) throw new Error(faults.join('\n'))
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await rm(path.join(directory, 'postmaster.pid'))
    const { uid, gid } = await stat(directory)
    for (const [name, text] of Object.entries({ backup_label: rows[0]!.labelfile, 'standby.signal': '' })) {
      await writeFile(path.join(directory, name), text)
      await chown(path.join(directory, name), uid, gid)
    }
  } finally {
    await client.end()
  }
  const source = new URL(primary.url).searchParams
  const primary_conninfo = `host=${source.get('host')} port=5432 user=${source.get('user')}`
  const start = () => startPostgres({ dataDir, settings: { ...streaming, primary_conninfo } })
  let postgres = await start()
  const restart = async () => {
    postgres = await start()
  }
  t.after(() => postgres.stop())
  return { ...postgres, dataDir, restart }
}

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
