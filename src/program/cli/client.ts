import type { Command } from 'commander'
import { createBody } from '../../kit/declare/shape.ts'
import { policy } from '../../tenancy/dispatch/policy.ts'
import type { CommandActions } from './output.ts'
import { policyFrom, withPolicyOptions } from './options.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { buildReadContext } from './session.ts'

// The OAuth provider takes 0.3 s to load, so only the commands that need it import it.
const oauthOperations = () => import('../../identity/oauth/operations.ts')
const oauthSoftware = () => import('../../identity/oauth/software.ts')
const oauthApps = () => import('../../identity/oauth/apps.ts')

const limitBody = createBody({ policy: policy.nullable() })

export function clientCommands(program: Command, { write }: CommandActions): void {
  const client = program.command('client').description('Create, limit and verify OAuth clients')

  client
    .command('create')
    .description('Create an OAuth client whose secret does not expire (shown only once)')
    .requiredOption('--name <name>', 'name shown on the consent screen')
    .requiredOption('--redirect-uri <uri...>', 'URIs to which the authorization code may be sent')
    .requiredOption('--scope <scopes>', 'scopes, separated by spaces')
    .option('--auth-method <method>', 'method: client_secret_basic, client_secret_post or none', 'client_secret_basic')
    .option('--software-id <id>', 'ID shared by all installations of the app')
    .action(
      write(async ({ db }, { name, scope, authMethod, softwareId, ...input }) => {
        const { createClient } = await oauthOperations()
        const client = await db.transaction((tx) =>
          createClient(tx, null, {
            name: name!,
            redirectUris: input.redirectUri as unknown as string[],
            scope: scope!,
            authMethod: authMethod!,
            ...(softwareId ? { softwareId } : {}),
          }),
        )
        const secret = client.client_secret ? `\n${client.client_secret}\nThe secret won't be shown again.` : ''
        return { json: client, text: `${client.client_id}${secret}` }
      }),
    )

  withPolicyOptions(client.command('limit <client-id>'))
    .description('Limit an app in a store; without options, remove its limits')
    .requiredOption('--store <id>', 'ID of the store')
    .action(
      write(async (session, { store: storeId, ...limits }, clientId) => {
        const store = await requireStore(session, storeId!)
        const { limitApp } = await oauthApps()
        const { policy } = limitBody.read({ policy: policyFrom(limits) ?? null }, buildReadContext(store))
        await session.db.transaction((tx) => limitApp(tx, store.id, clientId!, policy ?? null))
        const text = policy
          ? `${clientId} is now limited in ${store.name}`
          : `${clientId} is no longer limited in ${store.name}`
        return { json: { client_id: clientId, store_id: store.id, policy: policy ?? null }, text }
      }),
    )

  verifyCommand(client, write)
}

function verifyCommand(client: Command, write: CommandActions['write']): void {
  client
    .command('verify <software-id>')
    .description(
      'Show the verified badge for apps with this software_id and redirect URIs on these hosts; ' +
        'without hosts, remove it',
    )
    .option('--host <host...>', 'hosts that its redirect URIs can have')
    .action(
      write(async ({ db }, input, softwareId) => {
        const hosts = (input.host ?? []) as unknown as string[]
        const { verifySoftware } = await oauthSoftware()
        await db.transaction((tx) => verifySoftware(tx, softwareId!, hosts))
        const text =
          hosts.length > 0
            ? `${softwareId} is now verified for ${hosts.join(', ')}`
            : `${softwareId} is no longer verified`
        return { json: { software_id: softwareId, hosts }, text }
      }),
    )
}
