// Headers of requests and responses, and the credentials, as components of the document.
import { sessionCookie } from '../../identity/accounts/session.ts'

type HeaderObject = { description: string; schema: object }

// prettier-ignore
const headers: Record<string, HeaderObject> = {
  'X-Request-Id': {
    description: 'Identifies the request; a valid client-supplied value is kept.',
    schema: { type: 'string', examples: ['01912d68-783e-7a03-8467-5661c1243ad4'] },
  },
  'X-RateLimit-Limit':     integer('Requests allowed per window.', 1000),
  'X-RateLimit-Remaining': integer('Requests left in this window.', 999),
  'X-RateLimit-Reset':     integer('Unix seconds at which the window ends.', 1772366460),
  'Retry-After':           integer('Seconds until you may retry.', 42),
  'Location':              { description: 'The path of the new record.', schema: { type: 'string' } },
  'ETag':                  {
    description: 'What the record is now: for If-None-Match and If-Match.',
    schema: { type: 'string', examples: ['"xlqV2Cj0yGZcLrJv1bT3Wg"'] },
  },
  'Preference-Applied':    {
    description: 'dry-run when this was a rehearsal: nothing has changed.',
    schema: { type: 'string', enum: ['dry-run'] },
  },
  'Idempotent-Replayed':   {
    description: 'true when this is the answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

function integer(description: string, example: number): HeaderObject {
  return { description, schema: { type: 'integer', examples: [example] } }
}

const everywhere = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** The headers that every response has, and `more`. */
export function responseHeaders(more: string[] = []): object {
  return Object.fromEntries([...everywhere, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export const headerComponents = headers

// An example of an optional header would be in every code sample of the reference.
export const parameterComponents = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: for 24 hours the same key returns the first response. ' +
      'Reuse with a different body is rejected.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-import-2026-03-01-0001',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags you already hold; 304 if one is still current.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'One or more ETags, or `*`; 412 if the record has changed since you read it.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`handling=strict` rejects unknown fields and parameters, which are ignored otherwise.',
    schema: { type: 'string' },
  },
  PreferInWrites: {
    name: 'Prefer',
    in: 'header',
    description:
      '`dry-run` rehearses the request: the response is what the write would return, with `rehearsal` beside ' +
      '`data`, and nothing changes. `handling=strict` rejects unknown fields and parameters, which are ignored ' +
      'otherwise; POST also rejects read-only fields. Separate several preferences with commas.',
    schema: { type: 'string' },
  },
}

export function securitySchemes(authUrl: string, scopes: readonly string[]): object {
  return {
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie(authUrl),
      description: 'Session cookie of a signed-in user; same-origin browsers only.',
    },
    ApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'A key of one store: `wk_live_…` (1,000 requests a minute) or `wk_test_…` (100 requests a minute).',
    },
    OAuth: {
      type: 'oauth2',
      description: 'An access token granted by a merchant for one store. PKCE (S256) is mandatory.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${authUrl}/oauth/authorize`,
          tokenUrl: `${authUrl}/oauth/token`,
          refreshUrl: `${authUrl}/oauth/token`,
          scopes: Object.fromEntries(scopes.map((scope) => [scope, inWords(scope)])),
        },
      },
    },
  }
}

function inWords(scope: string): string {
  const [access, noun] = scope.split(':') as [keyof typeof accesses, string]
  return unusual[scope] ?? accesses[access](noun.replaceAll('_', ' '))
}

const accesses = {
  read: (noun: string) => `Read ${noun}`,
  write: (noun: string) => `Read and change ${noun}`,
  propose: (noun: string) => `Propose changes to ${noun} for approval`,
}

const unusual: Record<string, string> = {
  'read:store': 'Read the store and its settings',
  'write:store': 'Read and change the store and its settings',
  'propose:store': 'Propose changes to the store and its settings for approval',
  'read:audit': 'Read the audit log',
  'write:audit': 'Read the audit log and revert changes',
  'read:requests': 'Read the request log',
}
