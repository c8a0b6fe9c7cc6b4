// IDs in the library's form: a payload repeats its own, of which the row has a hash; a grant's begins with its store.
import type { AdapterPayload } from 'oidc-provider'

export function withoutId(payload: AdapterPayload): AdapterPayload {
  const { jti: _, ...rest } = payload
  return rest
}

export function readGrantStore(grantId: string): string {
  return grantId.slice(0, grantId.indexOf('.'))
}
