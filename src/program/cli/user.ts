import type { Command } from 'commander'
import { createBody } from '../../kit/declare/shape.ts'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import { removeFactors } from '../../identity/accounts/factors/factors.ts'
import { findUser, makeLink } from '../../identity/accounts/links.ts'
import { addMember, createUser } from '../../identity/accounts/operations.ts'
import { newMember, roleField } from '../../identity/account/role.ts'
import { user as person } from '../../identity/accounts/user.ts'
import { buildBaseUrl } from '../config.ts'
import type { CommandActions } from './output.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { buildReadContext } from './session.ts'
import { operator } from '../../kit/values/actor.ts'

const addBody = createBody({ email: person.fields.email, role: roleField.required() })
const roleHelp = 'role: owner, admin, staff or the ID of a custom role'

export function userCommands(program: Command, { write }: CommandActions): void {
  const user = program.command('user').description('Create users, add them to stores and help them sign in')

  createCommand(user, write)
  addCommand(user, write)
  linkCommand(user, write)
  forgetFactorsCommand(user, write)
}

function createCommand(user: Command, write: CommandActions['write']): void {
  user
    .command('create')
    .description("Create a user and add them to a store's team")
    .requiredOption('--email <email>', 'email address of the user')
    .requiredOption('--password <password>', 'at least 8 characters, not a common password')
    .requiredOption('--store <id>', 'ID of the store')
    .option('--role <role>', roleHelp, 'owner')
    .option('--name <name>', 'name of the user')
    .action(
      write(async (session, { store: storeId, ...input }) => {
        const store = await requireStore(session, storeId!)
        const { role, ...values } = newMember.read(input, buildReadContext(store))
        const id = await session.db.transaction(async (tx) => {
          const about = { stores: [store.name, store.slug] }
          const userId = await createUser(tx, { ...values, ...about }).catch(suggestAddCommand)
          await addMember(tx, store, userId, role)
          return publicId('usr', userId)
        })
        return { json: { id }, text: `${values.email} is now ${input.role} of ${store.name}: ${id}` }
      }),
    )
}

function addCommand(user: Command, write: CommandActions['write']): void {
  user
    .command('add')
    .description("Add an existing user to another store's team")
    .requiredOption('--email <email>', 'email address of the user')
    .requiredOption('--store <id>', 'ID of the store')
    .option('--role <role>', roleHelp, 'owner')
    .action(
      write(async (session, { store: storeId, ...input }) => {
        const store = await requireStore(session, storeId!)
        const { email, role } = addBody.read(input, buildReadContext(store))
        const id = await session.db.transaction(async (tx) => {
          const userId = await findUser(tx, email)
          if (!userId) throw notFound(`User ${email}`)
          await addMember(tx, store, userId, role)
          return publicId('usr', userId)
        })
        return { json: { id }, text: `${email} is now ${input.role} of ${store.name}: ${id}` }
      }),
    )
}

function linkCommand(user: Command, write: CommandActions['write']): void {
  user
    .command('link')
    .description('Create a link that signs a user in once within 30 minutes')
    .requiredOption('--email <email>', 'email address of the user')
    .action(
      write(async ({ db, config }, { email }) => {
        const link = await db.transaction(async (tx) => {
          const userId = await findUser(tx, email!)
          if (!userId) throw notFound('User')
          return makeLink(tx, userId, 'sign_in')
        })
        const url = `${config.AUTH_URL ?? buildBaseUrl(config)}/oauth/sign-in/${link}`
        return { json: { url }, text: url }
      }),
    )
}

function forgetFactorsCommand(user: Command, write: CommandActions['write']): void {
  user
    .command('forget-factors')
    .description("Remove a user's passkeys, authenticator app and recovery codes, so that the password is enough")
    .requiredOption('--email <email>', 'email address of the user')
    .action(
      write(async ({ db }, { email }) => {
        await db.transaction(async (tx) => {
          const userId = await findUser(tx, email!)
          if (!userId) throw notFound('User')
          await removeFactors(tx, userId, operator)
        })
        return { json: { forgotten: true }, text: `${email} can now sign in with the password alone` }
      }),
    )
}

function suggestAddCommand(error: Error): never {
  if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error
  throw new ApiError(409, 'CONFLICT', `${error.message}. To add the user to another store, use: user add`)
}
