// Random files as records, without a database: each is read whole or refused with a sentence, and each row is accounted
// for. IMPORT_READS=20000 for a longer run, SEED to repeat one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { loadStore } from '../../../tenancy/stores/store.ts'
import { randomFile } from '../../../../test/importfiles.ts'
import { randomBy, seed } from '../../../../test/random.ts'
import { openWorld } from '../../../../test/world.ts'
import { importFaults } from './errors.ts'
import { readTable } from './file.ts'
import { loadMarkdown } from './markdown.ts'
import { createRecordNumbering } from './numbering.ts'
import { mapColumns, recognizeSource } from './recognize.ts'
import { listRemarks, readFieldValues, toRowMessages, type MappedRow } from './record.ts'
import type { ImportKind } from './sources/source.ts'
import { handlers } from './state.ts'

const files = Number(process.env.IMPORT_READS ?? 2000)

const world = await openWorld({})

test(`${files} random files are read or refused, and a record that the API does not take has faults`, async () => {
  const random = randomBy(seed)
  const { id } = (await world.newStore()).store
  const store = (await loadStore(world.app.db.ofStore(id), id))!
  const counts = { read: 0, refused: 0, records: 0, faulty: 0 }
  const terms = { tax_rate: '19', tax_included: true, currency: store.currency }
  const toMarkdown = await loadMarkdown()
  const time = { now: world.clock.now(), startedAt: null, matchBy: 'auto' } as const
  for (let count = 0; count < files; count++) {
    const { bytes, fields, rows } = randomFile(random)
    // The upload refuses it before it is read.
    if (bytes.length < 2) continue
    const kind = fields.kind as ImportKind
    const handler = handlers[kind]
    try {
      const table = await readTable(bytes, fields)
      const { source } = recognizeSource(kind, table.columns)
      const columns = mapColumns(source, table.columns, {}, { terms })
      const numbering = createRecordNumbering(source, columns)
      const context = { kind, columns, isDecimalComma: table.isDecimalComma, timezone: store.timezone, toMarkdown }
      const mapped: (MappedRow & { record: number })[] = []
      for await (const { line, cells } of table.rows) {
        const number = mapped.length + 1
        const values = readFieldValues(cells, context)
        const record = numbering.numberRow(cells, number)
        mapped.push({ number, line, values, remarks: listRemarks(cells, columns), record })
      }
      if (mapped.length === 0) throw invalid(fault('file', importFaults.file_empty))
      if (rows !== null) assert.equal(mapped.length, rows)
      counts.read++
      for (const own of Map.groupBy(mapped, ({ record }) => record).values()) {
        counts.records++
        const draft = handler.draft(own, time, store)
        draft.completeNew?.()
        for (const { message, code, number } of draft.notes) {
          assert.ok(message && code && own.some((row) => row.number === number))
        }
        try {
          handler.body.create.read(draft.input, store)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          counts.faulty++
          for (const { message, number } of toRowMessages(draft, error.faults, own[0]!.number)) {
            assert.ok(message.length > 0 && own.some((row) => row.number === number))
          }
        }
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 422 && error.faults.length > 0) counts.refused++
      else {
        console.error(`file ${count}: ${JSON.stringify(fields)}\n${bytes.toString().slice(0, 3000)}`)
        throw error
      }
    }
  }
  assert.ok(counts.read > files / 2 && counts.refused > 0 && counts.faulty > 0, JSON.stringify(counts))
})
