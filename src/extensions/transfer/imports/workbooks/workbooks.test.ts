// Workbooks, read as tables with the texts that people see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ods, row, xlsx, zipped } from '../../../../../test/workbooks.ts'
import { readTable, type ReadingOptions } from '../file.ts'

async function readAll(bytes: Buffer, options: ReadingOptions = {}) {
  const { columns, rows, notes } = await readTable(bytes, options)
  return { columns, notes, rows: await Array.fromAsync(rows) }
}

const cellsOf = async (bytes: Buffer) => (await readAll(bytes)).rows.map(({ cells }) => cells)

async function refusal(bytes: Buffer, options: ReadingOptions = {}): Promise<string> {
  const error: any = await readAll(bytes, options).then(
    () => assert.fail('it was read'),
    (one) => one,
  )
  assert.ok(error.faults, String(error.stack))
  return error.faults.map(({ code }: any) => code).join()
}

const cell = (value: string, more = '') => `<c ${more}><v>${value}</v></c>`

test('a number keeps all its digits, and the zeros in front that its format shows', async () => {
  const file = await xlsx(
    [
      {
        name: 'Products',
        rows:
          row(1, ['sku', 'barcode', 'zip', 'price', 'tax']) +
          row(2, [
            cell('123456789012'),
            cell('4.00638133393E+12'),
            cell('2108', 's="1"'),
            cell('19.899999999999999'),
            cell('0.19', 's="2"'),
          ]) +
          row(3, [cell('1.0E+12'), cell('4006381333931'), cell('12345', 's="1"'), cell('5'), cell('1e-7')]),
      },
    ],
    { formats: ['00000', '0%'] },
  )
  assert.deepEqual(await cellsOf(file), [
    ['123456789012', '4006381333930', '02108', '19.9', '19%'],
    ['1000000000000', '4006381333931', '12345', '5', '0.0000001'],
  ])
})

test('a number with the format of a date is that date, in workbooks that count from 1900', async () => {
  const rows =
    row(1, ['a', 'b', 'c', 'd']) +
    row(2, [cell('46022', 's="1"'), cell('46022.5', 's="2"'), cell('1', 's="1"'), cell('46022', 's="3"')])
  const file = await xlsx([{ name: 'S', rows }], {
    formats: ['dd/mm/yyyy', 'yyyy-mm-dd hh:mm', '[Red]0.00 &quot;d&quot;'],
  })
  assert.deepEqual(await cellsOf(file), [['2025-12-31', '2025-12-31 12:00:00', '1900-01-01', '46022']])
})

test('shared and rich texts, booleans, empty cells and rows with gaps keep their places and lines', async () => {
  const file = await xlsx(
    [
      {
        name: 'S',
        rows: `${row(3, ['name', 'b', 'c'])}<row r="5"><c r="A5" t="s"><v>0</v></c><c r="C5" t="b"><v>1</v></c></row>
<row r="9"><c r="B9" t="str"><f>A1</f><v>x_x000D_y</v></c></row><row r="11"><c r="A11"/></row>`,
      },
    ],
    { texts: ['<r><t>Canvas </t></r><r><t>mug</t></r><rPh><t>no</t></rPh>'] },
  )
  assert.deepEqual((await readAll(file)).rows, [
    { line: 5, cells: ['Canvas mug', '', 'true'] },
    { line: 9, cells: ['', 'x\ry', ''] },
  ])
})

test('the first visible sheet with rows is read; the others are named', async () => {
  const sheets = [
    { name: 'Cover', rows: '' },
    { name: 'Prices', state: 'hidden', rows: row(1, ['x']) },
    { name: 'Products', rows: row(1, ['name']) + row(2, ['Mug']) },
    { name: 'Old', rows: row(1, ['name']) + row(2, ['Cup']) },
  ]
  const { rows, notes } = await readAll(await xlsx(sheets))
  assert.deepEqual(rows, [{ line: 2, cells: ['Mug'] }])
  assert.deepEqual(notes, ['Only the sheet Products is read, not Old', 'Hidden sheets are left out: Prices'])
  assert.deepEqual((await readAll(await xlsx(sheets), { sheet: 'Old' })).rows, [{ line: 2, cells: ['Cup'] }])
  assert.equal(await refusal(await xlsx(sheets), { sheet: 'New' }), 'sheet_unknown')
  assert.equal(await refusal(await xlsx(sheets.slice(0, 2))), 'file_empty')
})

test('a formula has the value that it had when the workbook was saved; without one, the file is refused', async () => {
  const rows = (formula: string) => row(1, ['price']) + row(2, [formula])
  assert.deepEqual(await cellsOf(await xlsx([{ name: 'S', rows: rows('<c r="A2"><f>2*3</f><v>6</v></c>') }])), [['6']])
  assert.equal(
    await refusal(await xlsx([{ name: 'S', rows: rows('<c r="A2"><f>2*3</f></c>') }])),
    'formula_without_value',
  )
})

test('a workbook of LibreOffice means the same', async () => {
  const value = (type: string, attributes: string, text: string, more = '') =>
    `<table:table-cell office:value-type="${type}" ${attributes} ${more}><text:p>${text}</text:p></table:table-cell>`
  const header = ['name', 'barcode', 'zip', 'price', 'date', 'tax', 'merged']
    .map((name) => value('string', '', name))
    .join('')
  const cells = [
    `<table:table-cell office:value-type="string"><office:annotation><text:p>Note</text:p></office:annotation>
<text:p>A<text:s text:c="2"/>b</text:p><text:p>c</text:p></table:table-cell>`,
    value('float', 'office:value="4.006381333931E+12"', '4.00638E+12'),
    value('float', 'office:value="2108"', '02108'),
    value('currency', 'office:value="19.9"', '19,90 €'),
    value('date', 'office:date-value="2026-01-31T10:00:00"', '31.01.2026'),
    value('percentage', 'office:value="0.19"', '19 %'),
    '<table:covered-table-cell office:value-type="string"><text:p>under</text:p></table:covered-table-cell>',
    '<table:table-cell table:number-columns-repeated="16377"/>',
  ].join('')
  const tables = `<table:table table:name="Hidden" table:style-name="ta2">
<table:table-row>${value('string', '', 'x')}</table:table-row></table:table>
<table:table table:name="Products" table:style-name="ta1">
<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>
<table:table-row>${header}</table:table-row><table:table-row table:number-rows-repeated="2">${cells}</table:table-row>
<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/>
</table:table-row></table:table>`
  const styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
  const texts = ['A  b\nc', '4006381333931', '02108', '19.9', '2026-01-31 10:00:00', '19%', '']
  assert.deepEqual(await readAll(await ods(tables, { styles })), {
    columns: ['name', 'barcode', 'zip', 'price', 'date', 'tax', 'merged'],
    notes: ['Hidden sheets are left out: Hidden'],
    rows: [5, 6].map((line) => ({ line, cells: texts })),
  })
})

test('a password, damage, an old format and an archive of something else are named', async () => {
  const whole = await xlsx([{ name: 'S', rows: row(1, ['a']) }])
  const container = Buffer.from('d0cf11e0a1b11ae1', 'hex')
  const encrypted = Buffer.concat([container, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')])
  assert.equal(await refusal(encrypted), 'has_password')
  assert.equal(await refusal(Buffer.concat([container, Buffer.alloc(600)])), 'is_archive')
  assert.equal(await refusal(await ods('', { manifest: '<manifest:encryption-data/>' })), 'has_password')
  assert.equal(await refusal(whole.subarray(0, whole.length - 30)), 'is_broken')
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: '<row><c' }])), 'is_broken')
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: '<x>'.repeat(1000) }])), 'is_broken')
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: '<row r="x"><c><v>1</v></c></row>' }])), 'is_broken')
  assert.equal(await refusal(await zipped({ mimetype: 'application/vnd.oasis.opendocument.text' })), 'is_archive')
  assert.equal(await refusal(await zipped({ 'Index/Document.iwa': 'x' })), 'is_archive')
})

test('what a workbook unpacks to is limited, and what its cells share counts each time', async () => {
  const bomb = await xlsx([{ name: 'S', rows: `${row(1, ['a'])}${' '.repeat(100_000_000)}` }])
  assert.ok(bomb.length < 1_000_000)
  assert.equal(await refusal(bomb), 'unpacked_too_large')
  const shared = row(
    2,
    Array.from({ length: 200 }, () => cell('0', 't="s"')),
  ).repeat(600)
  const texts = [`<t>${'x'.repeat(1000)}</t>`]
  const header = row(
    1,
    Array.from({ length: 200 }, (_, at) => `c${at}`),
  )
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: header + shared }], { texts })), 'unpacked_too_large')
  const line = `<table:table-row table:number-rows-repeated="600000">
<table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>`
  assert.equal(await refusal(await ods(`<table:table>${line}</table:table>`)), 'too_many_rows')
  const wide = row(
    1,
    Array.from({ length: 300 }, (_, at) => `c${at}`),
  )
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: wide }])), 'too_many_columns')
  assert.equal(await refusal(await xlsx([{ name: 'S', rows: row(1, ['a']) + row(2, ['a_x0000_b']) }])), 'not_storable')
})

test('an archive with a path out of it, or a file twice, is refused', async () => {
  const file = await zipped({ 'aa/table.csv': 'name\nMug\n', 'table.csv': 'name\nMug\n' })
  const renamed = (from: string, to: string) => Buffer.from(file.toString('latin1').replaceAll(from, to), 'latin1')
  assert.equal(await refusal(renamed('aa/table.csv', '../table.csv')), 'archive_path')
  assert.equal(await refusal(renamed('aa/table.csv', '/a/table.csv')), 'archive_path')
})
