// A store's profile at /.well-known/ucp of its own origin, where agents discover its capabilities.
import type { JsonWebKey } from 'node:crypto'
import type { Db } from '../../kit/database/database.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findOffer } from '../../storefront/checkout/offers/offer.ts'
import { profilePath } from '../../storefront/shop/feeds/robots.ts'
import { buildPaymentHandlers } from './checkout/payment.ts'
import {
  capabilityNames,
  declareCapability,
  documents,
  keysMember,
  newest,
  releases,
  service,
  type Release,
} from './releases.ts'

export const endpointPath = '/ucp'
export const mcpPath = `${endpointPath}/mcp`

/** Each older release has its own profile document. */
export const olderProfilePath = `${profilePath}/:release`

export async function businessProfile(
  db: Db,
  store: Store,
  { origin, release, keys }: { origin: string; release: Release; keys: readonly JsonWebKey[] },
): Promise<object> {
  const offer = await findOffer(db, store)
  const transport = (name: 'rest' | 'mcp', document: string, path: string) => ({
    version: release,
    spec: `${documents(release)}/specification/overview`,
    transport: name,
    endpoint: origin + path,
    schema: `${documents(release)}/services/shopping/${document}.json`,
  })
  const older = releases.filter((one) => one !== newest)
  return {
    ucp: {
      version: release,
      ...(release === newest
        ? { supported_versions: Object.fromEntries(older.map((one) => [one, `${origin}${profilePath}/${one}`])) }
        : {}),
      services: {
        [service]: [transport('rest', 'rest.openapi', endpointPath), transport('mcp', 'mcp.openrpc', mcpPath)],
      },
      capabilities: Object.fromEntries(capabilityNames.map((name) => [name, [declareCapability(name, release)]])),
      payment_handlers: buildPaymentHandlers(store.agent_orders ? offer.payment_methods : [], release),
    },
    [keysMember[release]]: keys,
  }
}
