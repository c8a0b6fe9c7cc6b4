// Webhook receivers during development: examines them, and forwards events to them.
import type { Command } from 'commander'
import type { ExtensionActions } from '../../tenancy/extensions/extension.ts'
import type { ListenConfig } from './listen.ts'

export function examinationCommands(program: Command, actions: ExtensionActions<ListenConfig>): void {
  program
    .command('webhook')
    .description('Test webhook receivers')
    .command('examine <url>')
    .description('Send a receiver valid and invalid test events, and report what its code gets wrong')
    .requiredOption('--secret <secret>', "the webhook's signing secret")
    .option('--events <types>', 'event types, separated by commas', 'order.created,order.updated')
    .action(
      actions.withoutDatabase('calls a receiver', async ({ secret, events }, url) => {
        const { examineLocal } = await import('./receiver.ts')
        return examineLocal(url!, { secret: secret!, events: events! })
      }),
    )

  program
    .command('listen')
    .description("Forward a store's events to a local URL, signed, until Ctrl-C")
    .requiredOption('--store <id>', 'ID of the store')
    .requiredOption('--forward-to <url>', 'URL of the receiver, e.g. http://localhost:3000/hooks')
    .option('--secret <secret>', "signing secret (default: the store's own, the same at each start)")
    .action(
      actions.irreversible('calls a receiver until Ctrl-C', async (session, { store, forwardTo, secret }) => {
        const { listen } = await import('./listen.ts')
        return listen(session, store!, { forwardTo: forwardTo!, secret })
      }),
    )
}
