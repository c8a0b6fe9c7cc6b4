// People who work in stores and are signed in, as clients of the portal's JSON, and what they have there.
import { listSessions, openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { addPasskey, listPasskeys } from '../src/identity/accounts/factors/passkey.ts'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import { createRole } from '../src/identity/account/roles.ts'
import { nowhere } from '../src/identity/account/portal.ts'
import { invite, listTeam } from '../src/identity/accounts/team.ts'
import type { RoleChoice } from '../src/identity/accounts/operations.ts'
import { sql } from '../src/kit/database/sql.ts'
import { newUuid, publicId } from '../src/kit/values/ids.ts'
import { hashSecret } from '../src/kit/values/secrets.ts'
import { createClient } from '../src/identity/oauth/operations.ts'
import type { nouns } from '../src/identity/account/portal.ts'
import { operator } from '../src/kit/values/actor.ts'
import { client, type Client } from './client.ts'
import type { TestStore, World } from './world.ts'

export type Person = { id: string; userId: string; shop: TestStore; api: Client }

/** Where the pages are, as test/world.ts has it unless told otherwise. */
const siteUrl = 'https://shop.example'
const password = 'correct horse battery'

export async function personOf(world: World, shop: TestStore, role: RoleChoice = 'owner'): Promise<Person> {
  const userId = await world.app.db.transaction(async (tx) => {
    const id = await createUser(tx, { email: someAddress(), password, name: 'Ana' })
    await addMember(tx, shop.store, id, role)
    return id
  })
  const cookie = `${sessionCookie(siteUrl)}=${await newSession(world, userId)}`
  return { id: publicId('usr', userId), userId, shop, api: client(world.url, { cookie, origin: siteUrl }) }
}

/** A new record of each noun that a path of the portal names; the store is the person's own. */
export const newRecord: Record<keyof typeof nouns, (world: World, person: Person) => Promise<string>> = {
  store: async (_world, { shop }) => shop.store.id,
  session: async ({ app, ...world }, { userId }) => {
    const before = new Set((await listSessions(app.db, userId)).map(({ id }) => id))
    await newSession({ app, ...world }, userId)
    return (await listSessions(app.db, userId)).find(({ id }) => !before.has(id))!.id
  },
  person: async (world, { shop }) => (await personOf(world, shop, 'staff')).id,
  role: (world, { shop }) => newRole(world, shop, []),
  passkey: async ({ app }, { userId }) => {
    const key = { credentialId: Buffer.from(newUuid()), publicKey: Buffer.from('key'), counter: 0, transports: [] }
    const by = { kind: 'user', id: publicId('usr', userId) } as const
    await app.db.transaction((tx) => addPasskey(tx, userId, { ...key, isSynced: false, name: 'Phone' }, by))
    return (await listPasskeys(app.db, userId)).at(-1)!.id
  },
  client: async ({ app }, { userId }) =>
    (await app.db.transaction((tx) => createClient(tx, userId, details))).client_id,
  app: async ({ app }, { shop, userId }) => {
    const { client_id } = await app.db.transaction((tx) => createClient(tx, null, details))
    await letIn(app.db, client_id, { storeId: shop.store.id, userId })
    return client_id
  },
}

/** A role of a store's own with these scopes; its public ID. */
export async function newRole({ app }: World, { store }: TestStore, scopes: string[]): Promise<string> {
  const owner = { ...nowhere, id: store.id, role: 'owner' } as const
  const values = { name: `Role ${newUuid()}`, description: null, scopes }
  return (await app.db.transaction((tx) => createRole(tx, owner, values, operator))).entity.id
}

/** An invitation stands where a member does. */
export async function newInvitation({ app }: World, { shop, userId }: Person): Promise<string> {
  const email = someAddress()
  await app.db.transaction((tx) => invite(tx, shop.store.id, { email, role: 'staff', inviterId: userId }))
  return (await listTeam(app.db, shop.store.id)).find((person) => person.email === email)!.invitation_id!
}

const details = { name: 'Back office', redirectUris: ['https://office.example/cb'], scope: 'read:orders' }

function someAddress(): string {
  return `${newUuid()}@example.com`
}

function newSession({ app }: World, userId: string): Promise<string> {
  return app.db.transaction((tx) => openSession(tx, userId, { ip: '10.0.0.1', userAgent: 'test', how: 'password' }))
}

async function letIn(
  db: World['app']['db'],
  clientId: string,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<void> {
  const id = `${storeId}.${newUuid()}`
  await db.transaction(async (tx) => {
    await tx.rows(sql`
      insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
      values (${storeId}, ${id}, ${clientId}, ${userId}, '{read:orders}', '{}', ${tx.now})`)
    await tx.rows(sql`
      insert into oauth_tokens (id, kind, store_id, grant_id, payload, created_at, expires_at)
      values (${hashSecret(newUuid())}, 'AccessToken', ${storeId}, ${id}, '{}', ${tx.now}, '2100-01-01')`)
  })
}
