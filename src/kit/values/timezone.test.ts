import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOfDay } from './timezone.ts'

test('a day begins at midnight of its time zone, or when clocks first show it', () => {
  const cases: [string, string, string][] = [
    ['2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01', 'America/Mexico_City', '2026-03-01T06:00:00.000Z'],
    ['2026-03-01', 'Asia/Kolkata', '2026-02-28T18:30:00.000Z'],
    ['2026-03-01', 'Pacific/Kiritimati', '2026-02-28T10:00:00.000Z'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'], // clocks go forward at 2:00
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'], // and back
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'], // 0:00 is skipped: the day begins at 1:00
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'], // 0:00 comes twice
    ['0001-01-01', 'UTC', '0001-01-01T00:00:00.000Z'],
  ]
  for (const [day, timezone, instant] of cases) {
    assert.equal(startOfDay(day, timezone).toISOString(), instant, `${day} ${timezone}`)
  }
})

test('a later day is counted by the calendar', () => {
  const after = (day: string, timezone: string, later: number) => startOfDay(day, timezone, later).toISOString()
  assert.equal(after('2026-02-28', 'UTC', 1), '2026-03-01T00:00:00.000Z')
  assert.equal(after('2026-03-07', 'America/New_York', 2), '2026-03-09T04:00:00.000Z')
  assert.equal(after('9999-12-31', 'UTC', 1), '+010000-01-01T00:00:00.000Z')
})

test('each day of a year is 23 to 25 hours long, in every time zone', () => {
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    for (let later = 0; later < 365; later += 73) {
      const [start, end] = [later, later + 1].map((days) => startOfDay('2026-01-01', timezone, days).getTime())
      const hours = (end! - start!) / 3_600_000
      assert.ok(hours >= 23 && hours <= 25, `${timezone}, day ${later}: ${hours}`)
    }
  }
})
