// The guide's snippets, run in each of their languages.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathOf } from './programs.ts'
import { declaredEvents, eventTypes } from '../src/developer/webhooks/events.ts'
import { signature } from '../src/platform/outbound/signature.ts'

const guide = readFileSync(new URL('../docs/guides/webhooks.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'stoa-guide-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const secret = 'a secret of ours, ñ'
const body = '{"event_id":"ord_x","order":{"total":1500.5},"note":"¡olé! \\u2028"}'
const now = () => Math.floor(Date.now() / 1000)

/** What the last fenced block of a language that has `mark` says. */
function snippet(language: string, mark: string): string {
  const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code!)
  return blocks.find((code) => code.includes(mark))!
}

// The program around `verify`: it reads secret, timestamp, signature and the body's file, and prints true or false.
const languages = [
  {
    name: 'TypeScript',
    program: process.execPath,
    args: ['verify.ts'],
    file: 'verify.ts',
    text: () => `${snippet('ts', 'verify')}
import { readFileSync } from 'node:fs'
const [secret, timestamp, signature, file] = process.argv.slice(2)
console.log(verify(secret, timestamp, signature, readFileSync(file)))`,
  },
  {
    name: 'Python',
    program: pathOf('python'),
    args: ['verify.py'],
    file: 'verify.py',
    text: () => `${snippet('python', 'verify')}
import sys
print(str(verify(sys.argv[1], sys.argv[2], sys.argv[3], open(sys.argv[4], "rb").read())).lower())`,
  },
  {
    name: 'PHP',
    program: pathOf('php'),
    args: ['verify.php'],
    file: 'verify.php',
    text: () => `<?php
${snippet('php', 'verify')}
echo json_encode(verify($argv[1], $argv[2], $argv[3], file_get_contents($argv[4])));`,
  },
  {
    name: 'Go',
    program: pathOf('go'),
    args: ['run', 'verify.go'],
    file: 'verify.go',
    text: () => `package main
import ("crypto/hmac"; "crypto/sha256"; "encoding/hex"; "fmt"; "math"; "os"; "strconv"; "time")
${snippet('go', 'verify')}
func main() {
	body, _ := os.ReadFile(os.Args[4])
	fmt.Println(verify(os.Args[1], os.Args[2], os.Args[3], body))
}`,
  },
]

for (const { name, program, args, file, text } of languages) {
  test(`the ${name} of the guide accepts what is signed now, and nothing else`, () => {
    writeFileSync(join(folder, file), text())
    writeFileSync(join(folder, 'body'), body)
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOCACHE: join(folder, 'go') }
    const options = { cwd: folder, encoding: 'utf8', env } as const
    const verify = (timestamp: number | string, given: string) =>
      execFileSync(program, [...args, secret, String(timestamp), given, 'body'], options).trim()
    const signed = (timestamp: number) => signature({ timestamp, body }, secret)
    const otherThan = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)
    const [at, old, ahead] = [now(), now() - 310, now() + 310]
    assert.deepEqual(
      [
        verify(at, signed(at)),
        verify(at - 290, signed(at - 290)),
        verify(old, signed(old)),
        verify(ahead, signed(ahead)),
        verify(at, signed(at - 1)),
        verify(at, otherThan(signed(at))),
        verify(at, 'nonsense'),
        verify('soon', signed(at)),
      ],
      ['true', 'true', 'false', 'false', 'false', 'false', 'false', 'false'],
    )
  })
}

test('the openssl line of the guide prints the signature', () => {
  writeFileSync(join(folder, 'body.json'), body)
  const timestamp = now()
  const printed = execFileSync('sh', ['-c', snippet('sh', 'openssl')], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, TIMESTAMP: String(timestamp), SECRET: secret },
  })
  assert.equal(printed.trim(), signature({ timestamp, body }, secret))
})

test('the guide says of each event when it occurs, and names no other', () => {
  const named = [...guide.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (.+) \| .+ \|$/gm)].map(([, event, when]) => [
    event,
    when,
  ])
  assert.deepEqual(
    named,
    eventTypes.map((event) => [event, declaredEvents[event].when]),
  )
})
