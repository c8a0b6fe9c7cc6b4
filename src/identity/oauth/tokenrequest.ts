// A token request may name the scope offline_access, which the library does not know.
import type { OauthHandler } from './endpoint.ts'
import { offlineAccess, withoutOfflineAccess } from './registration.ts'

export function readTokenRequest(run: OauthHandler): OauthHandler {
  return (call, response) => {
    if (!call.body?.includes(offlineAccess)) return run(call, response)
    const form = new URLSearchParams(call.body.toString())
    const scopes = form.getAll('scope').map(withoutOfflineAccess)
    form.delete('scope')
    for (const scope of scopes) if (scope !== '') form.append('scope', scope)
    return run({ ...call, body: Buffer.from(form.toString()) }, response)
  }
}
