import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid } from '../../kit/values/errors.ts'
import { planLimit } from '../../tenancy/plans/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { refusalIn } from './refusal.ts'
import { signInTranslator } from './messages.ts'
import { accountFaults } from '../accounts/errors.ts'

// Those of the merchants' pages.
const languages = ['en', 'es'] as const
const said = (error: Parameters<typeof refusalIn>[1]) =>
  languages.map((language) => refusalIn(signInTranslator(language), error))

test('a full team is told with its numbers', () => {
  assert.deepEqual(said(planLimit('staff', 3, 3)), [
    'Staff limit reached (3/3)',
    'Se alcanzó el límite de personal (3/3)',
  ])
})

test('a password that is too easy is told why', () => {
  const codes = ['password_common', 'password_repeated', 'password_personal'] as const
  const told = codes.map((code) => said(invalid(fault('password', accountFaults[code]))))
  told.push(said(invalid(fault('password', accountFaults.password_length, { least: 8, most: 200 }))))
  assert.deepEqual(
    told,
    [...codes, 'password_length' as const].map((word) => languages.map((language) => signInTranslator(language)(word))),
  )
})

test('an address that is none is told as such', () => {
  assert.match(said(invalid(fault('email', generalFaults.wrong_format, { format: 'email' })))[0]!, /valid email/)
})
