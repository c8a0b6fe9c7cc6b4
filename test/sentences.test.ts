import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allSentences } from './sentences.ts'

const sentences = await allSentences()

test('a code stands for one sentence', () => {
  const codes = sentences.map(({ code }) => code)
  assert.ok(codes.length > 150)
  assert.deepEqual(
    codes.filter((code, index) => codes.indexOf(code) !== index),
    [],
  )
})

test('every sentence completes the name of a field', () => {
  for (const { code, text } of sentences) {
    assert.match(text, /^[a-z{:, ]/, code)
    assert.doesNotMatch(text, /\.$/, code)
  }
})
