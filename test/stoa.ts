// The operator's commands, each in a process of its own.
import assert from 'node:assert/strict'
import { run } from './server.ts'

/** Runs commands: as they are; expecting JSON; expecting a refusal. */
export function stoaOn(env: Record<string, string>, file = 'src/program/cli.ts') {
  const stoa = (...args: string[]) => run(file, args, { env })
  return Object.assign(stoa, {
    async json(...args: string[]) {
      const { code, stdout, stderr } = await stoa(...args, '--json').ended
      assert.deepEqual([code, stderr], [0, ''], args.join(' '))
      assert.equal(stdout.trimEnd().split('\n').length, 1, 'one object')
      return JSON.parse(stdout)
    },
    async refused(...args: string[]) {
      const { code, stdout, stderr } = await stoa(...args, '--json').ended
      assert.equal(stdout, '', args.join(' '))
      return { code, error: JSON.parse(stderr).error }
    },
  })
}
