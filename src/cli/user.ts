import type { Command } from 'commander'
import { choice } from '../kit/declare/scalars.ts'
import { createBody } from '../kit/declare/shape.ts'
import { ApiError, notFound } from '../kit/values/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import { removeFactors } from '../identity/accounts/factors/factors.ts'
import { findUser, makeLink } from '../identity/accounts/links.ts'
import { addMember, createUser } from '../identity/accounts/operations.ts'
import { newMember, roles, user as person } from '../identity/accounts/user.ts'
import { baseUrlOf } from '../config.ts'
import type { Actions } from './output.ts'
import { contextOf, storeWith } from './session.ts'
import { operator } from '../kit/values/actor.ts'

const existingMember = createBody({ email: person.fields.email, role: choice(roles).required() })

export function userCommands(program: Command, { change }: Actions): void {
  const user = program.command('user').description('People who may sign in')

  createCommand(user, change)
  addCommand(user, change)
  linkCommand(user, change)
  forgetCommand(user, change)
}

function createCommand(user: Command, change: Actions['change']): void {
  user
    .command('create')
    .description("Make a user and a member of a store's team")
    .requiredOption('--email <email>')
    .requiredOption('--password <password>', 'at least 8 characters, and none of the common ones')
    .requiredOption('--store <id>')
    .option('--role <role>', 'owner, admin or staff', 'owner')
    .option('--name <name>')
    .action(
      change(async (session, { store: storeId, ...given }) => {
        const store = await storeWith(session, storeId!)
        const { role, ...values } = newMember.read(given, contextOf(store))
        const id = await session.db.transaction(async (tx) => {
          const about = { stores: [store.name, store.slug] }
          const made = await createUser(tx, { ...values, ...about }).catch(sayHowToAdd)
          await addMember(tx, store, made, role)
          return publicId('usr', made)
        })
        return { json: { id }, text: `${values.email} is now ${role} of ${store.name}: ${id}` }
      }),
    )
}

function addCommand(user: Command, change: Actions['change']): void {
  user
    .command('add')
    .description('Give somebody who has an account a role in one more store')
    .requiredOption('--email <email>')
    .requiredOption('--store <id>')
    .option('--role <role>', 'owner, admin or staff', 'owner')
    .action(
      change(async (session, { store: storeId, ...given }) => {
        const store = await storeWith(session, storeId!)
        const { email, role } = existingMember.read(given, contextOf(store))
        const id = await session.db.transaction(async (tx) => {
          const found = await findUser(tx, email)
          if (!found) throw notFound(`User ${email}`)
          await addMember(tx, store, found, role)
          return publicId('usr', found)
        })
        return { json: { id }, text: `${email} is now ${role} of ${store.name}: ${id}` }
      }),
    )
}

function linkCommand(user: Command, change: Actions['change']): void {
  user
    .command('link')
    .description('Make a link that signs a user in once, within 30 minutes')
    .requiredOption('--email <email>')
    .action(
      change(async ({ db, config }, { email }) => {
        const link = await db.transaction(async (tx) => {
          const known = await findUser(tx, email!)
          if (!known) throw notFound('User')
          return makeLink(tx, known, 'sign_in')
        })
        const url = `${config.AUTH_URL ?? baseUrlOf(config)}/oauth/sign-in/${link}`
        return { json: { url }, text: url }
      }),
    )
}

function forgetCommand(user: Command, change: Actions['change']): void {
  user
    .command('forget-factors')
    .description('Remove passkeys, app and recovery codes of somebody who has lost them: the password opens again')
    .requiredOption('--email <email>')
    .action(
      change(async ({ db }, { email }) => {
        await db.transaction(async (tx) => {
          const known = await findUser(tx, email!)
          if (!known) throw notFound('User')
          await removeFactors(tx, known, operator)
        })
        return { json: { forgotten: true }, text: `${email} signs in with the password alone` }
      }),
    )
}

function sayHowToAdd(error: Error): never {
  if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error
  throw new ApiError(409, 'CONFLICT', `${error.message}. For a role in one more store: user add`)
}
