// The keys that sign what this installation sends to shoppers' agents.
import type { Command } from 'commander'
import { vault } from '../../kit/values/secrets.ts'
import { secretKeyFor } from '../../platform/postgres/canary.ts'
import type { ExtensionActions } from '../../tenancy/extensions/extension.ts'
import { findKeys, rotateKeys } from './signingkeys.ts'

export function signingKeyCommands(
  program: Command,
  { read, write }: ExtensionActions<{ DATA_DIR: string; SECRET_KEY: string | null }>,
): void {
  const key = program.command('signing-key').description("List and rotate the keys that sign for shoppers' agents")

  key
    .command('list')
    .description('List the published keys')
    .action(
      read(async ({ db }) => {
        const keys = (await findKeys(db)).map(({ id, created_at, expires_at }) => ({ id, created_at, expires_at }))
        const lines = keys.map(({ id, created_at, expires_at }) => {
          const end = expires_at ? `  published until ${expires_at.toISOString()}` : ''
          return `${id}  created ${created_at.toISOString()}${end}`
        })
        return {
          json: { signing_keys: keys },
          text: lines.join('\n') || 'No keys yet: the first is made when it is needed',
        }
      }),
    )

  key
    .command('rotate')
    .description('Replace the key; the old one stays published for 7 days')
    .option('--revoke', 'publish no other key from now on, as someone else may have it')
    .action(
      write(async ({ db, config, url }, { revoke }) => {
        const secretKey = await secretKeyFor(url, config)
        const isRevoked = revoke !== undefined
        const id = await db.transaction((tx) => rotateKeys(tx, vault(secretKey), { isRevoked }))
        const rest = isRevoked ? 'Other keys are revoked.' : 'The old key stays published for 7 days.'
        return { json: { id }, text: `Created ${id}. ${rest}` }
      }),
    )
}
