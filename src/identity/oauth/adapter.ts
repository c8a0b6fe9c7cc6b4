// The storage of oidc-provider in PostgreSQL: clients, grants, tokens, and requests that wait for a person. Secrets are
// stored as SHA-256 hashes; the app's clock decides what has expired.
import type { Adapter } from 'oidc-provider'
import type { Database } from '../../kit/database/database.ts'
import { clients } from './adapter/clients.ts'
import { grants } from './adapter/grants.ts'
import { interactions } from './adapter/interactions.ts'
import { tokens } from './adapter/tokens.ts'

export function adapters(db: Database): (name: string) => Adapter {
  const models: Record<string, Partial<Adapter>> = {
    Client: clients(db),
    Grant: grants(db),
    AuthorizationCode: tokens(db, 'AuthorizationCode'),
    AccessToken: tokens(db, 'AccessToken'),
    RefreshToken: tokens(db, 'RefreshToken'),
    Interaction: interactions(db),
  }
  // Session is left out: the dashboard's session is the only one, and every authorization asks for consent.
  return (name) => ({ ...keepsNothing, ...models[name] })
}

const keepsNothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}
