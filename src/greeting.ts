// What a start says: lines for a person on a terminal, one JSON line otherwise.
import { styleText } from 'node:util'
import { printable } from './platform/process/terminal.ts'
import { version } from './platform/process/version.ts'
import type { FirstStore } from './demo/firststore.ts'

export type Facts = {
  address: string
  /** Where one signs in. */
  authUrl: string
  postgres: string
  seconds: number
  workers: number
  store: FirstStore | null
}

export function greeting({ address, authUrl, postgres, seconds, workers, store }: Facts): string {
  const bold = (text: string) => styleText('bold', text)
  const row = (name: string, text: string) => `  ${styleText('dim', name.padEnd(10))} ${text}`
  const processes = workers > 1 ? ` · ${workers} workers` : ''
  const ready = `ready in ${seconds.toFixed(1)} s`
  const rows = [
    '',
    `  ${bold(`Stoa ${version}`)}   Node ${process.versions.node} · PostgreSQL ${postgres}${processes} · ` +
      styleText('green', ready),
    '',
    row('API', `${address}/v1`),
    row('Reference', `${address}/reference`),
  ]
  if (store)
    rows.push(row('Store', `${printable(store.name)} (${store.id})`), row('Shop', `${address}/s/${store.slug}`))
  if (store?.first) {
    const { key, signInLink } = store.first
    rows.push(
      row('Sign in', `${authUrl}/oauth/sign-in/${signInLink}   works once, within 30 minutes`),
      row('Key', `${bold(key)}   shown only now`),
      '',
      row('Try', tryThis(address, key)),
    )
  }
  if (store && !store.first) rows.push(row('Sign in', linkCommand), row('Key', keyCommand(store.id)))
  if (!store) rows.push(row('Store', storeCommand))
  return `${rows.join('\n')}\n\n`
}

function tryThis(address: string, key: string): string {
  return `curl -H 'X-API-Key: ${key}' '${address}/v1/products?per_page=3'`
}

/** The same as one object for the log, without any secret. */
export function facts({ address, postgres, seconds, workers, store }: Facts): Record<string, unknown> {
  return {
    version,
    node: process.versions.node,
    postgres,
    workers,
    seconds: Number(seconds.toFixed(2)),
    api: `${address}/v1`,
    reference: `${address}/reference`,
    ...(store
      ? { store: store.id, get_a_key: keyCommand(store.id), sign_in: linkCommand }
      : { make_a_store: storeCommand }),
  }
}

/** Prints a link that signs a member of the store in, once. */
const linkCommand = 'npm run -s stoa -- user link --email …'
const storeCommand = 'npm run -s stoa -- store create --name "My shop"'

function keyCommand(storeId: string): string {
  return `npm run -s stoa -- key create --store ${storeId} --mode test --scopes all`
}
