// One conformance test for all limiters.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { startValkey } from '../../../test/valkey.ts'
import { movableClock, type MovableClock } from '../../kit/values/clock.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { openLog } from '../process/log.ts'
import { serveCaller, openCaller, type ChannelEnd } from '../process/primary.ts'
import { openValkey, type Valkey } from '../process/valkey.ts'
import { countFor, primaryRateLimiter } from './primary.ts'
import { memoryRateLimiter, waitSeconds, type Hit, type RateLimiter } from './ratelimit.ts'
import { valkeyRateLimiter } from './valkey.ts'

const server = await startValkey()
const silent = openLog('silent')

/** A limiter with a connection of its own. */
async function connected(clock: MovableClock): Promise<{ limiter: RateLimiter; valkey: Valkey }> {
  const valkey = await openValkey(server.url, silent)
  after(() => valkey.close())
  for (;;) {
    const answer = await valkey.run('return 1', 'x', []).catch(() => new Promise((wake) => setTimeout(wake, 10)))
    if (answer === 1) return { limiter: valkeyRateLimiter(valkey, clock), valkey }
  }
}

/** A worker's limiter, over a channel of one process. */
function ofWorker(clock: MovableClock): RateLimiter {
  const { port1, port2 } = new MessageChannel()
  after(() => port1.close())
  const [worker, first] = [port1, port2].map(
    (port) =>
      ({
        on: (_: string, listener: (message: unknown) => void) => port.on('message', listener),
        send: (message: unknown) => port.postMessage(message),
      }) as unknown as ChannelEnd,
  )
  serveCaller(first!, countFor(memoryRateLimiter(clock)))
  return primaryRateLimiter(openCaller(worker!))
}

const overValkey = async (clock: MovableClock) => (await connected(clock)).limiter

for (const [kind, open] of [
  ['memory', async (clock: MovableClock) => memoryRateLimiter(clock)],
  ['the first process', async (clock: MovableClock) => ofWorker(clock)],
  ['valkey', overValkey],
] as const) {
  describe(`the limiter of ${kind}`, async () => {
    const clock = movableClock()
    const limiter = await open(clock)
    const name = () => `test:${newUuid()}`

    test('allows exactly the limit', async () => {
      const one = name()
      for (let left = 2; left >= 0; left--) {
        const hit = await limiter.hit(one, 3)
        assert.deepEqual([hit.allowed, hit.limit, hit.remaining], [true, 3, left])
      }
      const refused = await limiter.hit(one, 3)
      assert.deepEqual([refused.allowed, refused.remaining], [false, 0])
    })

    test('opens a new window when the old one ends as announced', async () => {
      const one = name()
      const first = await limiter.hit(one, 1)
      assert.equal((await limiter.hit(one, 1)).allowed, false)
      clock.advance(59)
      const last = await limiter.hit(one, 1)
      assert.deepEqual([last.allowed, last.reset], [false, first.reset])
      clock.advance(waitSeconds(last, clock.now()))
      const next = await limiter.hit(one, 1)
      assert.equal(next.allowed, true)
      assert.ok(next.reset > first.reset)
    })

    test('keeps windows of any length', async () => {
      const one = name()
      await limiter.hit(one, 1, { windowSeconds: 3600 })
      clock.advance(3000)
      assert.equal((await limiter.hit(one, 1, { windowSeconds: 3600 })).allowed, false)
      clock.advance(601)
      assert.equal((await limiter.hit(one, 1, { windowSeconds: 3600 })).allowed, true)
    })

    test('reports the end of the window in Unix seconds', async () => {
      const { reset } = await limiter.hit(name(), 1, { windowSeconds: 10 })
      const wait = reset - clock.now().getTime() / 1000
      assert.ok(Number.isInteger(reset) && wait > 8 && wait <= 11)
    })

    test('only reads at cost 0, counts a higher cost, takes back a negative one', async () => {
      const one = name()
      assert.equal((await limiter.hit(one, 5, { cost: 0 })).remaining, 5)
      assert.equal((await limiter.hit(one, 5, { cost: 4 })).remaining, 1)
      assert.equal((await limiter.hit(one, 5, { cost: -2 })).remaining, 3)
      assert.equal((await limiter.hit(one, 5, { cost: 0 })).remaining, 3)
    })

    test('counts each name by itself', async () => {
      const [one, two] = [name(), name()]
      await limiter.hit(one, 1)
      assert.equal((await limiter.hit(one, 1)).allowed, false)
      assert.equal((await limiter.hit(two, 1)).allowed, true)
    })

    test('a clock that is set back makes no window longer', async () => {
      const one = name()
      for (let count = 0; count < 2; count++) await limiter.hit(one, 1)
      clock.set(-3600)
      const { reset } = await limiter.hit(one, 1)
      assert.ok(reset - clock.now().getTime() / 1000 <= 61, 'the end is told in the new time')
      clock.advance(61)
      assert.equal((await limiter.hit(one, 1)).allowed, true)
      clock.set(3600)
    })

    test("a clock that was a day ahead leaves no window of a day's length", async () => {
      const one = name()
      clock.set(24 * 3600)
      for (let count = 0; count < 2; count++) await limiter.hit(one, 1)
      clock.set(-24 * 3600)
      const { reset } = await limiter.hit(one, 1)
      assert.ok(reset - clock.now().getTime() / 1000 <= 61)
      clock.advance(61)
      assert.equal((await limiter.hit(one, 1)).allowed, true)
    })

    test('out of 200 parallel requests exactly the limit passes', async () => {
      const one = name()
      const hits = await Promise.all(Array.from({ length: 200 }, () => limiter.hit(one, 50)))
      assert.equal(hits.filter(({ allowed }) => allowed).length, 50)
    })
  })
}

describe('in memory', () => {
  const strangers = 250_000

  test('names that strangers invent evict no window that guards a key or an account', () => {
    const limiter = memoryRateLimiter(movableClock())
    const guards = ['key', 'client', 'account', 'device'].map((kind) => `${kind}:${newUuid()}`)
    for (const guard of guards) limiter.hit(guard, 1)
    for (let count = 0; count < strangers; count++) limiter.hit(`login:ip:${count}`, 1)
    for (const guard of guards) assert.equal((limiter.hit(guard, 1) as Hit).allowed, false, guard)
  })

  test('names whose windows have ended are forgotten as others come', () => {
    const clock = movableClock()
    const limiter = memoryRateLimiter(clock)
    for (let minute = 0; minute < 20; minute++) {
      for (let count = 0; count < 1000; count++) limiter.hit(`ip:${minute}.${count}`, 1)
      clock.advance(61)
    }
    assert.ok(limiter.names <= 2000, `${limiter.names} names of 20,000`)
  })

  test('a stranger who returns is remembered longer than one who came once', () => {
    const limiter = memoryRateLimiter(movableClock())
    limiter.hit('ip:once', 1)
    for (let count = 0; count < strangers; count++) {
      limiter.hit(`ip:${count}`, 1)
      limiter.hit('ip:again', 1)
    }
    assert.equal((limiter.hit('ip:again', 1) as Hit).allowed, false)
    assert.equal((limiter.hit('ip:once', 1) as Hit).allowed, true)
  })
})

describe('over Valkey', async () => {
  const clock = movableClock()
  const [here, there] = [await overValkey(clock), await overValkey(clock)]

  test('two nodes share a window', async () => {
    const name = `test:${newUuid()}`
    assert.equal((await here.hit(name, 2)).remaining, 1)
    assert.equal((await there.hit(name, 2)).remaining, 0)
    assert.equal((await here.hit(name, 2)).allowed, false)
  })

  test(
    'a server that hangs does not hold requests: the process counts alone, ' + 'and shares again when it is back',
    async () => {
      const name = `test:${newUuid()}`
      await here.hit(name, 10)
      server.pause()
      try {
        for (let count = 2; count <= 10; count++) assert.equal((await here.hit(name, 10)).allowed, true)
        assert.equal((await here.hit(name, 10)).allowed, false)
      } finally {
        server.resume()
      }
      let shared = false
      for (let tries = 0; tries < 100 && !shared; tries++) {
        clock.advance(2)
        await new Promise((wake) => setTimeout(wake, 20))
        const other = `test:${newUuid()}`
        await here.hit(other, 10)
        shared = (await there.hit(other, 10)).remaining === 8
      }
      assert.ok(shared)
    },
  )

  test('without any server requests go on', async () => {
    const valkey = await openValkey('redis://127.0.0.1:1', silent)
    after(() => valkey.close())
    const limiter = valkeyRateLimiter(valkey, clock)
    assert.deepEqual([(await limiter.hit('x', 1)).allowed, (await limiter.hit('x', 1)).allowed], [true, false])
  })

  test('a server that appears or disappears in the middle of a window changes no count', async () => {
    const { valkey } = await connected(clock)
    let isAway = true
    const flaky: Valkey = {
      ...valkey,
      run: (...args) => (isAway ? Promise.reject(new Error('away')) : valkey.run(...args)),
    }
    const limiter = valkeyRateLimiter(flaky, clock)
    const name = `key:${newUuid()}`
    const allowed = async (hits: number) => {
      const all = await Promise.all(Array.from({ length: hits }, () => limiter.hit(name, 100)))
      return all.filter((hit) => hit.allowed).length
    }
    // Nobody is connected yet, as right after a start.
    assert.equal(await allowed(87), 87)
    isAway = false
    clock.advance(2)
    assert.equal(await allowed(10), 10)
    isAway = true
    assert.equal(await allowed(100), 3)
    isAway = false
    clock.advance(2)
    assert.equal(await allowed(1), 0)
  })

  test('the server forgets a window by itself when it has ended', async () => {
    const { limiter, valkey } = await connected(clock)
    const name = `test:${newUuid()}`
    await limiter.hit(name, 1, { windowSeconds: 60 })
    const left = await valkey.run("return redis.call('pttl', KEYS[1])", `stoa:limit:${name}`, [])
    assert.ok((left as number) > 0 && (left as number) <= 60_000)
  })
})
