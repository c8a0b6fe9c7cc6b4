// Restarts under load, with real connections: none is reset once it is open, and a rolling restart turns nobody away.
import assert from 'node:assert/strict'
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

test('SIGHUP renews all workers one after the other, and turns nobody away', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { WORKERS: '2' })
  const before = await workersOf(server.child.pid!)
  const load = visitors(Number(new URL(server.url).port))
  await load.answered(100)
  server.child.kill('SIGHUP')
  while (!server.lines().some(({ msg }) => msg === 'every worker is a new one')) await sleep(20)
  await load.answered(100)
  const outcomes = await load.end()
  assert.deepEqual(
    outcomes.filter((outcome) => outcome !== 'answered'),
    [],
  )
  const after = await workersOf(server.child.pid!)
  assert.deepEqual([after.length, after.filter((pid) => before.includes(pid))], [2, []])
  assert.equal((await server.end()).code, 0)
})

/** Clients that open a connection, ask over it once, and open the next. */
function visitors(port: number) {
  const outcomes: Outcome[] = []
  let isEnding = false
  const clients = Array.from({ length: 20 }, async () => {
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
      const isWhole = answer.startsWith('HTTP/1.1 200') && answer.includes('{"status":"ok"}')
      resolve(isWhole ? 'answered' : isOpen ? 'cut' : 'refused')
    })
  })
}
