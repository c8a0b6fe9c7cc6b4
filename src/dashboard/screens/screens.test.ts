import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMessageKey } from '../framework/messages.ts'
import { screens } from './screens.ts'

test('every input of a form has a label', () => {
  const unlabelled = screens.flatMap(({ path, actions = {} }) =>
    Object.entries(actions).flatMap(([act, { inputs = [] }]) =>
      (typeof inputs === 'function' ? [] : inputs)
        .filter(({ name, label }) => !isMessageKey(label ?? name.replaceAll('.', '_')))
        .map(({ name }) => `${path} ${act}: ${name}`),
    ),
  )
  assert.deepEqual(unlabelled, [])
})
