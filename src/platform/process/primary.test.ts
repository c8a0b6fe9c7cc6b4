import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { serveCaller, openCaller, type ChannelEnd } from './primary.ts'

test('a worker that dies before its answer does no harm to the first process', async () => {
  const child = fork('-e', ["process.send({ asks: 1, topic: 'slow' }); setInterval(() => {}, 1000)"])
  const errors: unknown[] = []
  child.on('error', (error) => errors.push(error))
  let answer!: (value: string) => void
  const isAsked = new Promise<void>((resolve) =>
    serveCaller(child, {
      slow: () =>
        new Promise<string>((resolveAnswer) => {
          answer = resolveAnswer
          resolve()
        }),
    }),
  )
  await isAsked
  child.kill('SIGKILL')
  await once(child, 'exit')
  answer('too late')
  await new Promise((wake) => setTimeout(wake, 50))
  assert.deepEqual(errors, [])
})

test('a call to a first process that has ended fails', async () => {
  const closed: ChannelEnd = { on: () => closed as never, send: (_message, sent) => sent!(new Error('channel closed')) }
  await assert.rejects(openCaller(closed)('rate limit', {}), /channel closed/)
})
