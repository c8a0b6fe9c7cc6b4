import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inCsv } from './csv.ts'

const formulas = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '\uff1d1+1', '=HYPERLINK("https://evil.example")']
const places = ['', 'x;', 'x; ', 'x;"', '";', 'x\n', 'x\r\n', 'x;\t', ';;', "x;'"]

/** As Excel divides a line whose fields it does not know to be in quotes. */
const cellsOf = (text: string, separator: RegExp) => text.split(separator).map((cell) => cell.replace(/^[\s"]+/, ''))

test('no cell is a formula, if a spreadsheet splits at commas, semicolons or tabs', () => {
  for (const formula of formulas) {
    for (const place of places) {
      const text = inCsv([['a', place + formula, 'b']])
      for (const cell of cellsOf(text, /[;\t\r\n]/)) {
        assert.doesNotMatch(cell, /^[=+\-@\uff1d\uff0b\uff0d\uff20]/, JSON.stringify([place + formula, text]))
      }
    }
  }
})

test('numbers, dates and other texts stay as they are', () => {
  assert.equal(inCsv([[-1.5, 'a;b', '2026-11-22', '1=1', null]]), '-1.5,a;b,2026-11-22,1=1,\r\n')
})

test('everything written for spreadsheets comes from here', () => {
  const root = new URL('../../', import.meta.url).pathname
  const users = globSync('**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const others = users.filter((file) => /csv-stringify/.test(readFileSync(root + file, 'utf8')))
  assert.deepEqual(others, ['kit/values/csv.ts'])
})
