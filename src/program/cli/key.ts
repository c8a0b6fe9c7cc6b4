import type { Command } from 'commander'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { apiKey } from '../../identity/apikeys/apikey.ts'
import { createKey, deactivateKey } from '../../identity/apikeys/operations.ts'
import { permissionGroups, scopes } from '../../identity/apikeys/scopes.ts'
import type { CommandActions } from './output.ts'
import { policyFrom, withPolicyOptions } from './options.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { buildReadContext } from './session.ts'
import { commandFaults } from './errors.ts'

// The presets' names in the dashboard are Spanish; both are understood.
const groups: Record<string, readonly string[]> = {
  catalog: permissionGroups['Catálogo']!,
  orders: permissionGroups['Pedidos']!,
  customers: permissionGroups['Clientes']!,
  marketing: permissionGroups['Marketing']!,
  store: permissionGroups['Tienda']!,
  automations: permissionGroups['Automatizaciones']!,
}

export function keyCommands(program: Command, { read, write }: CommandActions): void {
  const key = program.command('key').description('Create, list and deactivate API keys')

  withPolicyOptions(key.command('create'))
    .description('Create an API key (shown only once)')
    .requiredOption('--store <id>', 'ID of the store')
    .requiredOption('--mode <mode>', 'live or test')
    .requiredOption(
      '--scopes <scopes>',
      `all, or scopes and groups separated by commas (${Object.keys(groups).join(', ')})`,
    )
    .option('--name <name>', 'name of the key')
    .option('--expires-at <time>', 'expiry date, e.g. 2027-01-01T00:00:00Z')
    .action(
      write(async (session, { store: storeId, mode, scopes: scopeList, name, expiresAt, ...limits }) => {
        const store = await requireStore(session, storeId!)
        const policy = policyFrom(limits)
        const input = { mode, scopes: parseScopes(scopeList!), name, expires_at: expiresAt, policy }
        const body = apiKey.create.read(input, buildReadContext(store))
        const key = await session.db.transaction((tx) => createKey(tx, store, body))
        return { json: key, text: `${key.key}\n${key.id}, for ${store.name}. The key won't be shown again.` }
      }),
    )

  key
    .command('list')
    .description("List a store's API keys")
    .requiredOption('--store <id>', 'ID of the store')
    .action(
      read(async (session, { store: storeId }) => {
        const store = await requireStore(session, storeId!)
        const rows = await session.db.texts(sql`
        select ${apiKey.columns}
        from api_keys
        where store_id = ${store.id}
        order by created_at, id`)
        const keys = rows.map((row) => apiKey.read(row))
        const lines = keys.map(
          ({ id, name, mode, last4, is_active }) =>
            `${id}  ${name}  ${mode} …${last4}${is_active ? '' : '  deactivated'}`,
        )
        return { json: { keys }, text: lines.join('\n') || 'No API keys yet' }
      }),
    )

  key
    .command('deactivate <id>')
    .description('Deactivate an API key, on all nodes within 5 seconds')
    .action(
      write(async ({ db }, _options, id) => {
        const uuid = toUuid('key', id!)
        if (!uuid) throw notFound(`API key ${id}`)
        await db.transaction((tx) => deactivateKey(tx, uuid))
        return { json: { id, is_active: false }, text: `Deactivated ${id}` }
      }),
    )
}

function parseScopes(text: string): string[] {
  const names = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  const scopesAsked = names.flatMap((one) => (one === 'all' ? scopes : (groups[one] ?? permissionGroups[one] ?? [one])))
  const unknownScopes = scopesAsked.filter((scope) => !scopes.includes(scope))
  if (unknownScopes.length > 0) {
    const choices = [...Object.keys(groups), ...scopes].join(', ')
    throw invalid(fault('scopes', commandFaults.scopes_unknown, { unknown: unknownScopes.join(', '), choices }))
  }
  return [...new Set(scopesAsked)]
}
