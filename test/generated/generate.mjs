// node generate.mjs <openapi.json> <folder>: a TypeScript client of the API. The generator needs the compiler's old
// interface, which version 7 does not have: it gets the one that ts-morph brings along.
import { registerHooks } from 'node:module'

const compiler = new URL('typescript.js', import.meta.resolve('@ts-morph/common')).href
registerHooks({
  resolve: (name, context, next) =>
    name === 'typescript' ? { url: compiler, format: 'commonjs', shortCircuit: true } : next(name, context),
})

const [input, path] = process.argv.slice(2)
const { createClient } = await import('@hey-api/openapi-ts')
await createClient({
  input,
  output: { path },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
