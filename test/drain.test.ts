// Restarts under load, with real connections: none is reset once it is open, and a rolling restart turns nobody away.
import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { newDataDir, startServer, workersOf } from './server.ts'

type Outcome = 'answered' | 'refused' | 'cut'

test('connections that come while a server drains are answered, even those that are silent at first', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir)
  const port = Number(new URL(server.url).port)
  const before = visit(port, 450)
  await sleep(50)
  const ended = server.end()
  while (!server.lines().some(({ msg }) => msg === 'draining')) await sleep(1)
  const meanwhile = Array.from({ length: 20 }, () => visit(port, 400))
  assert.equal(await before, 'answered')
  assert.deepEqual(await Promise.all(meanwhile), Array(20).fill('answered'))
  assert.equal((await ended).code, 0)
  assert.equal(await visit(port), 'refused')
})

// RESTARTS=30 is the run that docs/testing.md reports.
const restarts = Number(process.env.RESTARTS ?? 1)

test('SIGHUP renews all workers one after the other, and turns nobody away', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { WORKERS: '3' })
  const port = Number(new URL(server.url).port)
  const before = await workersOf(server.child.pid!)
  const [kept, slow, load] = [keptVisitors(port), keptVisitors(port, { pauseMs: 525 }), visitors(port)]
  await load.answered(100)
  const renewals = () => server.lines().filter(({ msg }) => msg === 'all workers were replaced').length
  for (let restart = 1; restart <= restarts; restart++) {
    server.child.kill('SIGHUP')
    while (renewals() < restart) await sleep(20)
    await load.answered(100)
  }
  const outcomes = [...(await load.end()), ...(await kept.end()), ...(await slow.end())]
  t.diagnostic(`${outcomes.length} requests during ${restarts} rolling restarts`)
  assert.deepEqual(
    outcomes.filter((outcome) => outcome !== 'answered'),
    [],
  )
  const after = await workersOf(server.child.pid!)
  assert.deepEqual([after.length, after.filter((pid) => before.includes(pid))], [3, []])
  assert.equal((await server.end()).code, 0)
})

test('connections that wait for a worker that is killed are answered by another one', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { WORKERS: '2' })
  const port = Number(new URL(server.url).port)
  const [worker] = await workersOf(server.child.pid!)
  process.kill(worker!, 'SIGSTOP')
  const visits = Array.from({ length: 40 }, () => visit(port))
  // The other worker answers its half.
  await sleep(1000)
  process.kill(worker!, 'SIGKILL')
  const outcomes = await Promise.race([
    Promise.all(visits),
    sleep(20_000, 'a connection was left open', { ref: false }),
  ])
  assert.deepEqual(outcomes, Array(40).fill('answered'))
  assert.equal((await server.end()).code, 0)
})

test('with WORKERS=2 SIGTERM fails no request, over new connections or kept ones', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { WORKERS: '2' })
  const port = Number(new URL(server.url).port)
  const [kept, load] = [keptVisitors(port), visitors(port, 12)]
  await load.answered(200)
  const { code } = await server.end()
  const outcomes = [...(await load.end()), ...(await kept.end())]
  assert.deepEqual([code, outcomes.filter((outcome) => outcome === 'cut').length], [0, 0])
})

/** Clients that ask over a connection that they keep, with pauses between. */
function keptVisitors(port: number, { pauseMs = 0 } = {}) {
  const outcomes: Outcome[] = []
  let isEnding = false
  const ask = (agent: http.Agent): Promise<Outcome> =>
    new Promise((resolve) => {
      http
        .get({ port, host: '127.0.0.1', path: '/healthz', agent }, (answer) => {
          answer.resume().on('end', () => resolve('answered'))
          answer.on('error', () => resolve('cut'))
        })
        .on('error', (error) => resolve((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'cut'))
    })
  const clients = Array.from({ length: 12 }, async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    while (!isEnding && outcomes.at(-1) !== 'refused') {
      outcomes.push(await ask(agent))
      if (pauseMs > 0) await sleep(pauseMs)
    }
    agent.destroy()
  })
  return {
    async end(): Promise<Outcome[]> {
      isEnding = true
      await Promise.all(clients)
      return outcomes
    },
  }
}

/** Clients that open a connection, ask over it once, and open the next. */
function visitors(port: number, count = 20) {
  const outcomes: Outcome[] = []
  let isEnding = false
  const clients = Array.from({ length: count }, async () => {
    while (!isEnding) {
      outcomes.push(await visit(port))
    }
  })
  return {
    async answered(more: number) {
      const wanted = outcomes.length + more
      while (outcomes.length < wanted) await sleep(5)
    },
    async end(): Promise<Outcome[]> {
      isEnding = true
      await Promise.all(clients)
      return outcomes
    },
  }
}

/** Opens a connection and asks over it, after a while. */
function visit(port: number, silentMs = 0): Promise<Outcome> {
  return new Promise((resolve) => {
    let isOpen = false
    let answer = ''
    const socket = net.connect(port, '127.0.0.1', async () => {
      isOpen = true
      if (silentMs > 0) await sleep(silentMs)
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    })
    socket.setEncoding('utf8').on('data', (text) => (answer += text))
    socket.on('error', () => {})
    socket.on('close', () => {
      const isWhole = answer.startsWith('HTTP/1.1 200') && answer.includes('{"status":"ok",')
      resolve(isWhole ? 'answered' : isOpen ? 'cut' : 'refused')
    })
  })
}
