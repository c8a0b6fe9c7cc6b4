import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openConcurrency, usualLimits } from './overload.ts'

const [late, calm] = [usualLimits.maxDelayMs + 1, 0]

describe('the limit of requests under way', () => {
  test('without a queue every request is let in', () => {
    const concurrency = openConcurrency(usualLimits)
    for (let n = 0; n < usualLimits.most; n++) {
      assert.ok(concurrency.enter('store'))
      if (n % 100 === 0) concurrency.tick(calm)
    }
    assert.equal(concurrency.underWay, usualLimits.most)
    assert.equal(concurrency.enter('store'), null)
  })

  test('a single pause turns nobody away', () => {
    const concurrency = openConcurrency(usualLimits)
    for (let n = 0; n < 200; n++) concurrency.enter('store')
    concurrency.tick(1000)
    concurrency.tick(calm)
    assert.ok(concurrency.enter('store'))
  })

  test('a standing queue lowers it step by step, not below the least', () => {
    const concurrency = openConcurrency(usualLimits)
    for (let n = 0; n < 200; n++) concurrency.enter('store')
    for (let tick = 0; tick < usualLimits.patienceTicks; tick++) concurrency.tick(late)
    assert.ok(concurrency.limit < 200)
    assert.equal(concurrency.enter('store'), null)
    for (let tick = 0; tick < 100; tick++) concurrency.tick(late)
    assert.equal(concurrency.limit, usualLimits.least)
  })

  test('a process that is late with little to do, such as at its start, turns nobody away', () => {
    const concurrency = openConcurrency(usualLimits)
    for (let n = 0; n < usualLimits.least - 1; n++) concurrency.enter('store')
    for (let tick = 0; tick < 100; tick++) concurrency.tick(late)
    assert.equal(concurrency.limit, usualLimits.most)
  })

  test('once nothing waits it rises to where it was within 5 s', () => {
    const concurrency = openConcurrency(usualLimits)
    for (let n = 0; n < 200; n++) concurrency.enter('store')
    for (let tick = 0; tick < 100; tick++) concurrency.tick(late)
    assert.equal(concurrency.limit, usualLimits.least)
    for (let ms = 0; ms < 5000; ms += usualLimits.everyMs) concurrency.tick(calm)
    assert.equal(concurrency.limit, usualLimits.most)
  })

  test('a lane that has less than its share under way is let in before one that has more', () => {
    const concurrency = openConcurrency({ ...usualLimits, most: 32 })
    for (let n = 0; n < 40; n++) concurrency.enter('flood')
    assert.equal(concurrency.underWay, 32)
    const others = Array.from({ length: 20 }, () => concurrency.enter('quiet'))
    assert.equal(others.filter((leave) => leave !== null).length, 16)
    assert.equal(concurrency.enter('flood'), null)
  })

  test('however many lanes there are, the requests under way stay bounded', () => {
    const concurrency = openConcurrency({ ...usualLimits, most: 32 })
    for (let n = 0; n < 10_000; n++) concurrency.enter(`store ${n % 5000}`)
    assert.ok(concurrency.underWay <= 64, String(concurrency.underWay))
  })

  test('a place is given back once, however often its request ends', () => {
    const concurrency = openConcurrency(usualLimits)
    const [first] = [concurrency.enter('store')!, concurrency.enter('store')!]
    first()
    first()
    assert.equal(concurrency.underWay, 1)
  })
})
