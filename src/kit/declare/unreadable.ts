// What PostgreSQL's text and json cannot hold, and what no honest client sends.
import { fault } from '../values/faults.ts'
import type { Faults } from './refused.ts'

const maximumDepth = 32
const maximumElements = 1000

/** Adds the faults of `value`, which stands at `at`, and of everything in it. */
export function addUnreadable(faults: Faults, value: unknown, at = '', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) faults.add(fault(at, 'has_nul'))
    else if (!value.isWellFormed()) faults.add(fault(at, 'not_well_formed'))
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= maximumDepth) return faults.add(fault(at, 'too_deep', { limit: maximumDepth }))
  if (Array.isArray(value) && value.length > maximumElements) {
    return faults.add(fault(at, 'too_many_elements', { limit: maximumElements }))
  }
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    if (name.includes('\0') || !name.isWellFormed()) faults.add(fault(at || 'body', 'name_not_well_formed'))
    else addUnreadable(faults, inner, path, depth + 1)
  }
}
