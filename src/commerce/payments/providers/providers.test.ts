import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getProvider, providerNames } from '../providers.ts'
import { manual } from './manual.ts'
import { test as trial } from './test.ts'

test('every setting of a provider is a described text, and secrets are marked', () => {
  for (const name of providerNames) {
    for (const [setting, { spec }] of Object.entries(getProvider(name).settings)) {
      assert.equal(spec.schema.type, 'string', `${name} ${setting}`)
      assert.ok(spec.schema.description, `${name} ${setting}`)
      assert.equal(spec.isSecret ?? false, /key|secret/.test(setting), `${name} ${setting}`)
    }
  }
})

test('by hand nothing is asked of the merchant or of anybody else', () => {
  assert.deepEqual(manual, { kind: 'manual', settings: {} })
})

test('the test provider does what the shopper says, and the same again for the same checkout', () => {
  const paid = trial.decide({ checkoutId: 'chk_1' })
  assert.ok('reference' in paid)
  assert.deepEqual(trial.decide({ checkoutId: 'chk_1', pay: 'ok' }), paid)
  assert.notDeepEqual(trial.decide({ checkoutId: 'chk_2' }), paid)
  assert.ok('declined' in trial.decide({ checkoutId: 'chk_1', pay: 'fail' }))
})
