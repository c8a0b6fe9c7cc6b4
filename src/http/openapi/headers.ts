// Headers of requests and responses, and the credentials, as components of the document.
import { sessionCookie } from '../../identity/accounts/session.ts'

type HeaderObject = { description: string; schema: object }

// prettier-ignore
const headers: Record<string, HeaderObject> = {
  'X-Request-Id': {
    description: 'ID of the request. A valid ID sent by the client is kept.',
    schema: { type: 'string', examples: ['01912d68-783e-7a03-8467-5661c1243ad4'] },
  },
  'X-RateLimit-Limit':     integer('Number of requests allowed per window.', 1000),
  'X-RateLimit-Remaining': integer('Number of requests left in this window.', 999),
  'X-RateLimit-Reset':     integer('Time at which the window resets, in Unix seconds.', 1772366460),
  'Retry-After':           integer('Number of seconds to wait before retrying.', 42),
  'Location':              { description: 'Path of the new record.', schema: { type: 'string' } },
  'ETag':                  {
    description: 'Current version of the record or the list, for If-None-Match; of a record also for If-Match.',
    schema: { type: 'string', examples: ['"xlqV2Cj0yGZcLrJv1bT3Wg"'] },
  },
  'Preference-Applied':    {
    description: 'Set to dry-run if the request was a dry run and changed nothing.',
    schema: { type: 'string', enum: ['dry-run'] },
  },
  'Deprecation':           {
    description: 'Set if the request used a deprecated name or value (RFC 9745): since when it is deprecated.',
    schema: { type: 'string', examples: ['@1796083200'] },
  },
  'Sunset':                {
    description: 'The time until which the deprecated name or value is accepted at least (RFC 8594).',
    schema: { type: 'string', examples: ['Sat, 01 Jan 2028 00:00:00 GMT'] },
  },
  'Idempotent-Replayed':   {
    description: 'Set to true if this is the response to an earlier request with the same Idempotency-Key.',
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
      'Key that makes retries safe: for 24 hours, the same key returns the first response. ' +
      'Reusing the key with a different request is rejected, so each request needs a key of its own, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags you already have. The response is 304 if one of them is current.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'One or more ETags, or `*`. The response is 412 if the record has changed since you read it.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: 'Set to `handling=strict` to reject unknown fields and parameters instead of ignoring them.',
    schema: { type: 'string' },
  },
  PreferInWrites: {
    name: 'Prefer',
    in: 'header',
    description:
      '`dry-run` changes nothing and returns the response of the real request, with its side effects in `rehearsal` ' +
      'next to `data`. `handling=strict` rejects unknown fields and parameters instead of ignoring them; POST also' +
      ' rejects read-only fields. Separate several preferences with commas.',
    schema: { type: 'string' },
  },
}

export function securitySchemes(authUrl: string, scopes: readonly string[]): object {
  return {
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie(authUrl),
      description: 'Session cookie of a signed-in user, for same-origin requests of browsers only.',
    },
    ApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description:
        'API key of one store: `wk_live_…` (1,000 requests per minute) or `wk_test_…` (100 requests per minute).',
    },
    OAuth: {
      type: 'oauth2',
      description: 'Access token that a merchant granted for one store. PKCE (S256) is required.',
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
