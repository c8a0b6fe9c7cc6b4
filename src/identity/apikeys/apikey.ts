import type { Entity } from '../../kit/declare/field.ts'
import { set } from '../../kit/declare/composites.ts'
import { choice, flag, id, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { policy } from '../../tenancy/dispatch/policy.ts'
import { scopes } from './scopes.ts'

// prettier-ignore
export const apiKey = resource('api_keys', {
  id:           id('key').readonly(),
  name:         text({ min: 1, max: 120 }).default('API key'),
  mode:         choice(['live', 'test']).required(),
  last4:        text().readonly(),
  scopes:       set(choice(scopes), { min: 1, max: scopes.length }).required(),
  policy:       policy.nullable(),
  expires_at:   time().nullable(),
  is_active:    flag().default(true),
  last_used_at: time().nullable().readonly(),
  created_at:   time().readonly(),
  updated_at:   time().readonly(),
}, {}, { noun: 'API key' })

export type ApiKey = Entity<typeof apiKey.fields>

/** The prefix tells the mode before anything is looked up. */
export function readKeyMode(key: string): 'live' | 'test' | null {
  if (key.startsWith('wk_live_')) return 'live'
  return key.startsWith('wk_test_') ? 'test' : null
}
