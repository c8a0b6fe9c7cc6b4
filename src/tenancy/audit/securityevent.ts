// Security events for the operator, and for the security page of a store's owners.
import type { Actor } from '../../kit/values/actor.ts'

const securityEvents = [
  'signed_in',
  'sign_in_failed',
  'sign_in_slowed',
  'sessions_ended',
  'password_reset_asked',
  'password_changed',
  'email_change_asked',
  'email_changed',
  'totp_set',
  'totp_removed',
  'passkey_added',
  'passkey_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'second_factor_failed',
  'factors_removed',
  'user_created',
  'store_opened',
  'second_factor_required',
  'second_factor_optional',
  'member_added',
  'member_removed',
  'role_changed',
  'role_created',
  'role_updated',
  'role_deleted',
  'invitation_sent',
  'invitation_withdrawn',
  'key_created',
  'key_deactivated',
  'key_activated',
  'key_rotated',
  'key_deleted',
  'grant_given',
  'grant_ended',
  'client_created',
  'client_deleted',
  'client_secret_rotated',
  'webhook_secret_set',
  'webhook_secret_rotated',
] as const

type SecurityEventName = (typeof securityEvents)[number]

/** Contains no secrets and no typed text. */
export type NewSecurityEvent = {
  event: SecurityEventName
  actor: Actor
  store?: string
  /** The public ID of the affected user or record. */
  subject?: string | null
  details?: Record<string, string | number | boolean | null | readonly string[]>
}
