import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlain, stripMarkdown } from './markdown.ts'

test('a text without its marks keeps its words', () => {
  for (const [text, plain] of [
    ['## Care\n\n- **Wash** by *hand*\n1. Dry _flat_', 'Care\n\nWash by hand\nDry flat'],
    ['See [our care guide](/pages/care) and ![a mug](/m.png)', 'See our care guide and a mug'],
    ['Fits `M12` screws, 3 \\* 4', 'Fits M12 screws, 3 * 4'],
    ['snake_case_name and 2*3*4 stay', 'snake_case_name and 2*3*4 stay'],
    ['Hand-made & simple', 'Hand-made & simple'],
  ] as const)
    assert.equal(stripMarkdown(text), plain)
})

test('only a text with marks is Markdown', () => {
  for (const text of [
    'Waxed canvas, 18 liters.\nMade in Porto.\n\nWash by hand: 30 °C!',
    'Hand-made & simple',
    'a - b',
  ])
    assert.equal(isPlain(text), true, text)
  for (const text of [
    '**a**',
    '_a_',
    '# a',
    '- a',
    '1. a',
    '> a',
    'a\n---',
    '[a](/b)',
    '<b>',
    'a\\*',
    '`a`',
    '&amp;',
    '| a |',
  ])
    assert.equal(isPlain(text), false, text)
})

test('texts of nothing but marks take linear time', () => {
  for (const mark of ['*', '_', '[', '](', '`', '# ', '\\', '*a', '[a]('])
    assert.ok(stripMarkdown(mark.repeat(50_000 / mark.length)).length <= 50_000)
})
