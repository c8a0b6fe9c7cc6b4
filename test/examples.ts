// The examples of the docs, in the shell and in the languages of the SDKs.
import { globSync } from 'node:fs'
import { root } from './server.ts'

export const documents = globSync(['README.md', 'docs/README.md', 'docs/{api,guides}/*.md'], { cwd: root }).sort()

export function withIds(code: string, ids: Record<string, string>): string {
  const concrete = code.replaceAll('XX-XXXXXXXX', '$STORE_ID').replaceAll('http://localhost:4000', '$BASE')
  return concrete
    .replaceAll('export KEY=wk_test_…', '')
    .replace(/\b([a-z]+)_…/g, (placeholder, prefix: string) => ids[prefix] ?? placeholder)
}

/** Where an answer is not as shown; fields that the docs leave out, and `…`, may be anything. */
export function difference(shown: unknown, actual: unknown, at = 'the answer'): string | null {
  if (typeof shown === 'string') {
    const pattern = shown.split('…').map(RegExp.escape).join('[^]*')
    const same = shown === '…' || (typeof actual === 'string' && new RegExp(`^${pattern}$`).test(actual))
    return same ? null : `${at} is ${JSON.stringify(actual)}`
  }
  if (typeof shown !== 'object' || shown === null) return shown === actual ? null : `${at} is ${JSON.stringify(actual)}`
  if (typeof actual !== 'object' || actual === null) return `${at} is ${JSON.stringify(actual)}`
  if (Array.isArray(shown) && !shown.includes('…') && shown.length !== (actual as unknown[]).length) {
    return `${at} has ${(actual as unknown[]).length} elements`
  }
  const faults = Object.entries(shown)
    .filter(([key, value]) => key !== '…' && value !== '…')
    .map(([key, value]) => difference(value, (actual as Record<string, unknown>)[key], `${at}.${key}`))
  return faults.find((fault) => fault !== null) ?? null
}
