import type { Command } from 'commander'
import { createBody } from '../kit/declare/shape.ts'
import { policy } from '../tenancy/dispatch/policy.ts'
import type { CommandActions } from './output.ts'
import { policyFrom, withPolicyOptions } from './options.ts'
import { readContextOf, requireStore } from './session.ts'

// The OAuth provider takes 0.3 s to load, so only the commands that need it import it.
const oauthOperations = () => import('../identity/oauth/operations.ts')
const oauthSoftware = () => import('../identity/oauth/software.ts')
const oauthApps = () => import('../identity/oauth/apps.ts')

const limitBody = createBody({ policy: policy.nullable() })

export function clientCommands(program: Command, { write }: CommandActions): void {
  const client = program.command('client').description('OAuth clients: create, verify')

  client
    .command('create')
    .description('Make a client whose secret does not expire; the secret is shown this once')
    .requiredOption('--name <name>', 'shown on the consent screen')
    .requiredOption('--redirect-uri <uri...>', 'where it receives its code')
    .requiredOption('--scope <scopes>', 'separated by spaces')
    .option('--auth-method <method>', 'client_secret_basic, client_secret_post or none', 'client_secret_basic')
    .option('--software-id <id>', 'the same for all installations of one app')
    .action(
      write(async ({ db }, { name, scope, authMethod, softwareId, ...input }) => {
        const { createClient } = await oauthOperations()
        const created = await db.transaction((tx) =>
          createClient(tx, null, {
            name: name!,
            redirectUris: input.redirectUri as unknown as string[],
            scope: scope!,
            authMethod: authMethod!,
            ...(softwareId ? { softwareId } : {}),
          }),
        )
        const secret = created.client_secret ? `\n${created.client_secret}\nThe secret is shown only now.` : ''
        return { json: created, text: `${created.client_id}${secret}` }
      }),
    )

  withPolicyOptions(client.command('limit <client-id>'))
    .description('Limit what an app may do in a store within its scopes; without options it is limited no more')
    .requiredOption('--store <id>', 'where')
    .action(
      write(async (session, { store: storeId, ...limits }, clientId) => {
        const store = await requireStore(session, storeId!)
        const { limitApp } = await oauthApps()
        const { policy } = limitBody.read({ policy: policyFrom(limits) ?? null }, readContextOf(store))
        await session.db.transaction((tx) => limitApp(tx, store.id, clientId!, policy ?? null))
        const text = policy ? `${clientId} is limited in ${store.name}` : `${clientId} is not limited in ${store.name}`
        return { json: { client_id: clientId, store_id: store.id, policy: policy ?? null }, text }
      }),
    )

  client
    .command('verify <software-id>')
    .description(
      'Show the verified mark for apps with this software_id whose redirects lead to these hosts; ' +
        'none takes it away',
    )
    .option('--host <host...>', 'a host that its redirect URIs may have')
    .action(
      write(async ({ db }, input, softwareId) => {
        const hosts = (input.host ?? []) as unknown as string[]
        const { verifySoftware } = await oauthSoftware()
        await db.transaction((tx) => verifySoftware(tx, softwareId!, hosts))
        const text =
          hosts.length > 0 ? `${softwareId} is verified for ${hosts.join(', ')}` : `${softwareId} is no longer verified`
        return { json: { software_id: softwareId, hosts }, text }
      }),
    )
}
