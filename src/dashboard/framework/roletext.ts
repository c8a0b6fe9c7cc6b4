// The name of a role in the reader's language. A store's own roles have their own names.
import type { HeldRole } from '../../identity/accounts/user.ts'
import type { Translate } from './messages.ts'

export function roleText(t: Translate, role: HeldRole): string {
  return typeof role === 'string' ? t(`role_${role}`) : role.name
}
