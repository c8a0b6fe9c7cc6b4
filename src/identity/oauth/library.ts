// oidc-provider, imported here alone. It complains, at every start, of a Node without a name of long-term support, and
// the only Node with argon2 that npm has for Apple silicon is such a one.
import '../../platform/process/release.ts'

export { errors, Provider } from 'oidc-provider'
