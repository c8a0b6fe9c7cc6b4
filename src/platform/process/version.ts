import { readFileSync } from 'node:fs'

/** The version of this program, and the packages that it needs. */
export const { version, dependencies } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string; dependencies: Record<string, string> }
