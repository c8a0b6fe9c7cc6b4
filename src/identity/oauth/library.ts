// oidc-provider, imported here alone. open.ts loads it at its first use, because it takes 30 MB of memory and 0.2 s. It
// complains, at every start, of a Node without a name of long-term support, and the only Node with argon2 that npm has
// for Apple silicon is such a one.
import '../../platform/process/release.ts'

export { errors, Provider } from 'oidc-provider'
