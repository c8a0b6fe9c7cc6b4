// The steps of deploy/Dockerfile in clean root directories: what they build starts as its user, answers its own health
// check and drains. The context has the files that .dockerignore lets through. It needs root and Linux; elsewhere the
// context alone is checked.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { buildScript, commandOf, inImage, stagesOf } from './dockerfile.ts'
import { root } from './server.ts'

const stages = stagesOf(path.join(root, 'deploy/Dockerfile'))
const image = stages.at(-1)!
const folder = mkdtempSync(path.join(os.tmpdir(), 'stoa-image-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const context = path.join(folder, 'context')
mkdirSync(context)
fillContext()

test('every file that the steps copy is in the context, and no test is', () => {
  const copied = stages.flatMap(({ steps }) =>
    steps
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1)),
  )
  assert.deepEqual(
    copied.filter((file) => !existsSync(path.join(context, file))),
    [],
  )
  assert.deepEqual(globSync(['**/*.test.ts', '**/node_modules', 'bench', '.git', '.env'], { cwd: context }), [])
})

test('the steps build an image that serves as user 1000, is healthy, and drains', (t) => {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const hasRoot = spawnSync('unshare', [...namespaces, 'true']).status === 0
  if (!hasRoot) return t.diagnostic('no root or no namespaces: only the context was checked')
  const at = path.join(folder, image.name)
  const run = (...command: string[]) => inImage(image, at, command)
  const port = String(20_000 + (process.pid % 10_000))
  const script = `${buildScript(stages, { context, folder })}
${mountAsDocker(at)}
${run('id', '-u')}
${run('sh', '-c', 'command -v node && node --version')}
${run('env', `PORT=${port}`, 'DEMO=off', ...commandOf(image, 'CMD'))} > ${folder}/log 2>&1 & server=$!
for second in $(seq 90); do
  if ${run('env', `PORT=${port}`, ...commandOf(image, 'HEALTHCHECK'))}; then echo healthy; break; fi
  sleep 1
done
ps -o uid= -p $server
kill -TERM $server
wait $server && echo drained`
  const { stdout, stderr, status } = spawnSync('unshare', [...namespaces, 'sh', '-c', script], {
    encoding: 'utf8',
    timeout: 240_000,
    // Where root's PATH lacks the folder of chroot.
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  })
  const log = existsSync(`${folder}/log`) ? readFileSync(`${folder}/log`, 'utf8') : ''
  assert.equal(status, 0, `${stdout}${stderr}${log}`)
  const pinned = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).optionalDependencies
  assert.deepEqual(
    stdout
      .trim()
      .split(/\s*\n\s*/)
      .slice(-6),
    ['1000', '/stoa/node_modules/.bin/node', `v${pinned[`node-linux-${process.arch}`]}`, 'healthy', '1000', 'drained'],
  )
})

/** The read-only root, scratch folders and volumes that the guide runs it with. */
function mountAsDocker(at: string): string {
  const guide = readFileSync(path.join(root, 'docs/guides/deploying.md'), 'utf8')
  const [command] = /^docker run .*--read-only.*$/m.exec(guide)!
  const scratch = [...command.matchAll(/--tmpfs (\S+)/g)].map(([, place]) => `mount -t tmpfs tmpfs ${at}${place}`)
  const volumes = [...command.matchAll(/-v (\S+):(\S+)/g)].map(
    ([, name, place]) =>
      `install -d -o 1000 -g 1000 ${folder}/volume-${name} && mount --bind ${folder}/volume-${name} ${at}${place}`,
  )
  assert.deepEqual([scratch.length, volumes.length], [1, 2])
  return [`mount --rbind ${at} ${at}`, `mount -o remount,bind,ro ${at}`, ...scratch, ...volumes].join('\n')
}

/** Docker reads the last pattern that matches: here all of them but the first let files in, except the last. */
function fillContext(): void {
  const patterns = readFileSync(path.join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').trim().split('\n')
  assert.deepEqual([patterns[0], patterns.at(-1)], ['*', '**/*.test.ts'])
  for (const pattern of patterns.slice(1, -1)) {
    assert.match(pattern, /^![\w./-]+$/)
    const name = pattern.slice(1)
    cpSync(path.join(root, name), path.join(context, name), {
      recursive: true,
      filter: (source) => !source.endsWith('.test.ts'),
    })
  }
}
