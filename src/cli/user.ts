import type { Command } from 'commander'
import { publicId } from '../kit/ids.ts'
import { addMember, createUser } from '../accounts/operations.ts'
import { newMember } from '../accounts/user.ts'
import type { Act } from './output.ts'
import { contextOf, storeWith } from './session.ts'

export function userCommands(program: Command, act: Act): void {
  const user = program.command('user').description('People who may sign in')

  user.command('create')
    .description('Make a user and a member of a store\'s team')
    .requiredOption('--email <email>')
    .requiredOption('--password <password>', 'at least 8 characters')
    .requiredOption('--store <id>')
    .option('--role <role>', 'owner, admin or staff', 'owner')
    .option('--name <name>')
    .action(act(async (session, { store: storeId, ...given }) => {
      const store = await storeWith(session, storeId!)
      const { role, ...values } = newMember.read(given, contextOf(store))
      const id = await session.db.transaction(async (tx) => {
        const made = await createUser(tx, values)
        await addMember(tx, store, made, role)
        return publicId('usr', made)
      })
      return { json: { id }, text: `${values.email} is now ${role} of ${store.name}: ${id}` }
    }))
}
