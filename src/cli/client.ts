import type { Command } from 'commander'
import { createBody } from '../kit/declare/shape.ts'
import { policy } from '../tenancy/dispatch/policy.ts'
import type { Actions } from './output.ts'
import { policyFrom, withPolicyOptions } from './policy.ts'
import { contextOf, storeWith } from './session.ts'

// The OAuth provider takes 0.3 s to load: only for the commands that need it.
const portal = () => import('../identity/oauth/operations.ts')
const software = () => import('../identity/oauth/software.ts')
const apps = () => import('../identity/oauth/apps.ts')

const limitation = createBody({ policy: policy.nullable() })

export function clientCommands(program: Command, { change }: Actions): void {
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
      change(async ({ db }, { name, scope, authMethod, softwareId, ...given }) => {
        const { createClient } = await portal()
        const made = await db.transaction((tx) =>
          createClient(tx, null, {
            name: name!,
            redirectUris: given.redirectUri as unknown as string[],
            scope: scope!,
            authMethod: authMethod!,
            ...(softwareId ? { softwareId } : {}),
          }),
        )
        const secret = made.client_secret ? `\n${made.client_secret}\nThe secret is shown only now.` : ''
        return { json: made, text: `${made.client_id}${secret}` }
      }),
    )

  withPolicyOptions(client.command('limit <client-id>'))
    .description('Limit what an app may do in a store within its scopes; without options it is limited no more')
    .requiredOption('--store <id>', 'where')
    .action(
      change(async (session, { store: storeId, ...limits }, clientId) => {
        const store = await storeWith(session, storeId!)
        const { limitApp } = await apps()
        const { policy } = limitation.read({ policy: policyFrom(limits) ?? null }, contextOf(store))
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
      change(async ({ db }, given, softwareId) => {
        const hosts = (given.host ?? []) as unknown as string[]
        const { verifySoftware } = await software()
        await db.transaction((tx) => verifySoftware(tx, softwareId!, hosts))
        const text =
          hosts.length > 0 ? `${softwareId} is verified for ${hosts.join(', ')}` : `${softwareId} is no longer verified`
        return { json: { software_id: softwareId, hosts }, text }
      }),
    )
}
