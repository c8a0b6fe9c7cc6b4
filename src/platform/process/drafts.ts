// Files that are written aside and renamed once complete. A killed process leaves its draft, which the next one
// removes.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/** Drafts are named `prefix`, the pid of their process, and an optional suffix behind a hyphen. */
export async function removeStaleDrafts(prefix: string): Promise<void> {
  const folder = path.dirname(prefix)
  const start = path.basename(prefix)
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length).split('-')[0]) : 0
    if (pid > 0 && !isAlive(pid)) await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
