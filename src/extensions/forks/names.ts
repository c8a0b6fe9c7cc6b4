// The databases of forks: their names tell the installation and the fork.
import { hash } from 'node:crypto'
import { urlOfDatabase } from './databases.ts'

/** Several installations may share a server: each knows its own by the name of its database. */
export function databasePrefix(databaseUrl: string): string {
  const main = new URL(databaseUrl).pathname.slice(1)
  return `stoa_fork_${hash('sha256', main).slice(0, 8)}_`
}

export function toForkDatabase(databaseUrl: string, forkId: string): string {
  return databasePrefix(databaseUrl) + forkId.replaceAll('-', '')
}

export function forkUrl(databaseUrl: string, forkId: string): string {
  return urlOfDatabase(databaseUrl, toForkDatabase(databaseUrl, forkId))
}

/** Secrets and signatures of a fork and of its original don't open each other. */
export function forkSecretKey(secretKey: string, forkId: string): string {
  return hash('sha256', `stoa fork ${forkId} ${secretKey}`)
}
