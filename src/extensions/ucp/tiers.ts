// Identifies agents and limits their requests: anyone by address, more for an agent that signs, most for one with a
// credential of the store.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../kit/database/database.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { requireQuota, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { requestsPerMinute } from '../../storefront/checkout/routes.ts'
import type { FindAgent } from './agent.ts'
import { Problem } from './problems.ts'
import { isSigned, requireSigner, type Signer } from './signer.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { identify, type AdmissionOptions } from '../../http/admission.ts'
import { shopperAgentRoute } from '../../http/authenticate.ts'
import { showLimit } from '../../http/routelimits.ts'

type TierOptions = Pick<AdmissionOptions, 'authenticate'> & { db: Database; limiter: RateLimiter }

/** Requests a minute. An address may have more signatures and credentials checked than requests without them. */
const perMinute = { anonymous: requestsPerMinute, profiles: 60, proofs: 10_000, signed: 3000, token: 6000 }

export type Tiers = {
  /** Before the store is known. */
  countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Before the profile of an agent is fetched. */
  countProfile(request: FastifyRequest): Promise<void>
  /** The agent that signed the request; null if nobody did. */
  identify(request: FastifyRequest, reply: FastifyReply, store: Store, findAgent: FindAgent): Promise<Signer | null>
}

export function openTiers({ db, limiter, authenticate }: TierOptions): Tiers {
  const count = async (reply: FastifyReply, name: string, limit: number, cost = 1) => {
    const hit = await limiter.hit(name, limit, { cost })
    showLimit(reply, hit)
    requireQuota(hit, db.clock.now())
  }
  const anonymous = ({ ip }: FastifyRequest) => `storefront:${addressBlock(ip)}`

  /** A failure counts as a request without proof, of which an address has fewer. */
  const prove = async <Proof>(request: FastifyRequest, reply: FastifyReply, proof: () => Promise<Proof>) => {
    try {
      return await proof()
    } catch (error) {
      if (error instanceof Problem) await count(reply, anonymous(request), perMinute.anonymous)
      throw error
    }
  }
  const requireCredential = async (request: FastifyRequest, reply: FastifyReply, store: Store): Promise<string> => {
    const access = await identify(request, reply, shopperAgentRoute, { db, limiter, authenticate })
    if (access.store.id !== store.id) throw new Problem('unauthorized', 'The credential is not of this store')
    return access.quota.name
  }
  return {
    async countAddress(request, reply) {
      if (!isProven(request)) return count(reply, anonymous(request), perMinute.anonymous)
      // Reads the limit that failures have used up.
      await count(reply, anonymous(request), perMinute.anonymous, 0)
      await count(reply, `proofs:${addressBlock(request.ip)}`, perMinute.proofs)
    },
    async countProfile({ ip }) {
      requireQuota(await limiter.hit(`profiles:${addressBlock(ip)}`, perMinute.profiles), db.clock.now())
    },
    async identify(request, reply, store, findAgent) {
      const { signer, credential } = await prove(request, reply, async () => ({
        credential: hasCredential(request) ? await requireCredential(request, reply, store) : null,
        signer: isSigned(request)
          ? await requireSigner(toSignedRequest(request), { findAgent, limiter, clock: db.clock })
          : null,
      }))
      // One host can have any number of profiles.
      if (credential) await count(reply, `agent:${store.id} ${credential}`, perMinute.token)
      else if (signer) await count(reply, `agent:${store.id} ${new URL(signer.profile).origin}`, perMinute.signed)
      return signer
    },
  }
}

function isProven(request: FastifyRequest): boolean {
  return isSigned(request) || hasCredential(request)
}

function hasCredential({ headers }: FastifyRequest): boolean {
  return headers['x-api-key'] !== undefined || headers.authorization !== undefined
}

function toSignedRequest({ method, protocol, host, url, headers, bytes }: FastifyRequest) {
  return { method, scheme: protocol, authority: host, target: url, headers, body: bytes }
}
