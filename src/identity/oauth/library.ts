// oidc-provider, imported only here. open.ts loads it on first use, because it takes 30 MB of memory and 0.2 s. It
// warns at every start about a Node that is not a long-term support release, and the only Node with argon2 that npm
// has for Apple silicon is such a release.
import '../../platform/process/release.ts'

export { errors, Provider } from 'oidc-provider'
