// The startup message: lines for a person on a terminal, one JSON line otherwise.
import { styleText } from 'node:util'
import { printable } from '../platform/process/terminal.ts'
import { version } from '../platform/process/version.ts'
import type { FirstStore } from '../demo/firststore.ts'

export type Facts = {
  address: string
  /** The address of an online store, with * for its slug. */
  shopUrl: string
  /** The sign-in address. */
  authUrl: string
  postgres: string
  seconds: number
  workers: number
  /** The number that this start has applied. */
  migrations: number
  store: FirstStore | null
  /** The prefix of CLI commands. */
  command: string
}

export function greeting({
  address,
  shopUrl,
  authUrl,
  postgres,
  seconds,
  workers,
  migrations,
  store,
  command,
}: Facts): string {
  const bold = (text: string) => styleText('bold', text)
  const row = (name: string, text: string) => `  ${styleText('dim', name.padEnd(12))} ${text}`
  const processes = workers > 1 ? ` · ${workers} workers` : ''
  const applied = migrations > 0 ? ` · ${migrations} migrations applied` : ''
  const ready = `ready in ${seconds.toFixed(1)} s`
  const rows = [
    '',
    `  ${bold(`Stoa ${version}`)}   Node ${process.versions.node} · PostgreSQL ${postgres}${processes}${applied} · ` +
      styleText('green', ready),
    '',
    row('API', `${address}/v1`),
    row('Reference', `${address}/reference`),
  ]
  if (store)
    rows.push(
      row('Store', `${printable(store.name)} (${store.id})`),
      row('Online store', shopUrl.replace('*', store.slug)),
    )
  if (store?.access) {
    const { key, signInLink } = store.access
    rows.push(
      row('Sign in', `${authUrl}/oauth/sign-in/${signInLink}   works once within 30 minutes`),
      row('Key', `${bold(key)}   won't be shown again`),
      '',
      row('Try', tryThis(address, key)),
    )
  }
  if (store && !store.access) {
    rows.push(row('Sign in', signInCommand(command, store)), row('Key', keyCommand(command, store)))
  }
  if (!store) rows.push(row('Store', storeCommand(command)))
  return `${rows.join('\n')}\n\n`
}

function tryThis(address: string, key: string): string {
  return `curl -H 'X-API-Key: ${key}' '${address}/v1/products?per_page=3'`
}

/** The same as one object for the log, without any secret. */
export function facts({
  address,
  postgres,
  seconds,
  workers,
  migrations,
  store,
  command,
}: Facts): Record<string, unknown> {
  return {
    version,
    pid: process.pid,
    node: process.versions.node,
    postgres,
    workers,
    migrations,
    seconds: Number(seconds.toFixed(2)),
    address,
    api: `${address}/v1`,
    reference: `${address}/reference`,
    ...(store
      ? { store: store.id, get_a_key: keyCommand(command, store), sign_in: signInCommand(command, store) }
      : { make_a_store: storeCommand(command) }),
  }
}

/** The command that makes a one-time sign-in link for the store's owner, or creates an owner if there is none. */
function signInCommand(command: string, { id, owner }: FirstStore): string {
  if (owner) return `${command} user link --email ${owner}`
  return `${command} user create --email you@example.com --password … --store ${id}`
}

function storeCommand(command: string): string {
  return `${command} store create --name "My store"`
}

function keyCommand(command: string, { id }: FirstStore): string {
  return `${command} key create --store ${id} --mode test --scopes all`
}
